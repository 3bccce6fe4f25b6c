// Shows the parts that need no thread: what is kept, what is near, what is cut, what is said when work is stopped.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexCatalog, nearestName, nearestTools, signatureLine } from "../../stubs/check/catalog-index.ts";
import { type Finding, toDiagnostics } from "../../stubs/check/finding.ts";
import { ResultCache } from "../../stubs/check/result-cache.ts";
import { stoppedResult } from "../../stubs/check/stopped.ts";
import { bounded, lineAround, positionAt, printable } from "../../stubs/check/text.ts";
import { verifies } from "../requirements.ts";
import { catalogOf } from "./check-support.ts";

const index = indexCatalog(catalogOf("fixture").tools);
const names = (wanted: string, namespace?: string): readonly string[] =>
  nearestTools(index, wanted, namespace === undefined ? {} : { namespace }).map((tool) => tool.identifier);

describe("near names", () => {
  test.each([
    ["list_issues", ["list_issues"]],
    ["listIssues", ["list_issues"]],
    ["github__list_issues", ["list_issues"]],
    ["mcp__files__read_file", ["read_file"]],
    ["read_fiel", ["read_file"]],
    ["file_read", ["read_file"]],
    ["", []],
    ["___", []],
    ["completely_different", []],
  ])(verifies("check:unknown-tool", "%j is near %j"), (wanted, found) => {
    expect(names(wanted)).toEqual(found);
  });

  test(
    verifies("check:unknown-tool", "of two equally near tools that of the same server comes first"),
    () => {
      const tools = ["a", "b"].map((namespace) => ({ namespace, identifier: "search", signature: "" }));
      const found = nearestTools(indexCatalog(tools), "serch", { namespace: "b" });
      expect(found.map((tool) => tool.namespace)).toEqual(["b", "a"]);
    },
  );

  test(verifies("check:unknown-tool", "names of a prototype are names like any other"), () => {
    expect(nearestTools(index, "__proto__")).toEqual([]);
    expect(nearestName(["constructor", "toString"], "tostring")).toBe("toString");
  });

  test(verifies("check:bounded", "a name of any length is compared in bounded time"), () => {
    expect(nearestTools(index, "x".repeat(1_000_000))).toEqual([]);
    expect(nearestName(["y".repeat(1_000_000)], "x".repeat(1_000_000))).toBeUndefined();
  });

  test(
    verifies(
      "check:unknown-tool",
      "the line of a signature is found under its comment, without comments inside",
    ),
    () => {
      const signature =
        "/** Lists\n * things. */\na.b(input: { /** Why. */ x: string }): Promise<any>\ntype T = 1;";
      expect(signatureLine({ namespace: "a", identifier: "b", signature })).toBe(
        "a.b(input: { x: string }): Promise<any>",
      );
    },
  );
});

describe("text", () => {
  test(verifies("check:bounded", "a cut never leaves half a character"), () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 2, max: 30 }),
        (text, max) => {
          const cut = bounded(text, max);
          expect(cut.length).toBeLessThanOrEqual(max);
          expect(text.isWellFormed() ? cut.isWellFormed() : true).toBe(true);
          expect(text.startsWith(cut.replace(/…$/, ""))).toBe(true);
        },
      ),
    );
  });

  test(
    verifies("check:bounded", "what moves a cursor or reorders text becomes blank, and nothing moves"),
    () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => {
          expect(printable(text)).not.toMatch(
            /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/,
          );
          expect(printable(printable(text))).toBe(printable(text));
        }),
      );
      expect(printable("a\tb\nc")).toBe("a\tb\nc");
    },
  );

  test(verifies("check:syntax", "an offset and its line and column are the same place"), () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z ]{0,9}$/), { minLength: 1 }), fc.nat(), (lines, seed) => {
        const text = lines.join("\n");
        const offset = seed % (text.length + 1);
        const { line, column } = positionAt(text, offset);
        const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
        expect(start + column - 1).toBe(offset);
        expect(lineAround(text, offset)).toBe(lines[line - 1]);
      }),
    );
  });

  test(verifies("check:syntax", "an offset outside the text is held inside it"), () => {
    expect(positionAt("ab", -5)).toEqual({ line: 1, column: 1 });
    expect(positionAt("a\nb", 99)).toEqual({ line: 2, column: 2 });
  });
});

test(
  verifies(
    "check:bounded",
    "findings come out in order, at most five, and no warning takes an error's place",
  ),
  () => {
    const finding = fc.record({
      severity: fc.constantFrom("error" as const, "warning" as const),
      code: fc.constant("SCRIPT_TYPE"),
      message: fc.string({ maxLength: 2_000 }),
      offset: fc.integer({ min: -5, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 20 }), (findings: readonly Finding[]) => {
        const script = "0123456789\n".repeat(12);
        const shown = toDiagnostics(script, findings);
        expect(shown.length).toBe(Math.min(5, findings.length));
        const places = shown.map(({ line, column }) => line * 1_000 + column);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        const errors = findings.filter(({ severity }) => severity === "error").length;
        expect(shown.filter(({ severity }) => severity === "error").length).toBe(Math.min(5, errors));
        for (const { message } of shown) expect(message.length).toBeLessThanOrEqual(700);
      }),
    );
  },
);

describe("the cache of results", () => {
  const key = (n: number): string => ResultCache.key({ script: String(n), check: "error" }, "hash");

  test(
    verifies("check:cached", "script, mode and catalog make the key, without running into each other"),
    () => {
      const keys = [
        ResultCache.key({ script: "a", check: "error" }, "h"),
        ResultCache.key({ script: "a", check: "warn" }, "h"),
        ResultCache.key({ script: "a", check: "error" }, "i"),
        ResultCache.key({ script: '","a', check: "error" }, "h"),
        ResultCache.key({ script: "a", check: "error" }, 'h","a'),
      ];
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  test(verifies("check:cached", "the results used last are kept"), () => {
    const cache = new ResultCache();
    for (let n = 0; n < 200; n += 1) {
      cache.set(key(n), { code: String(n), diagnostics: [] });
      cache.get(key(0));
    }
    expect(cache.get(key(0))?.code).toBe("0");
    expect(cache.get(key(199))?.code).toBe("199");
    expect(cache.get(key(1))).toBeUndefined();
  });

  test(verifies("check:cached", "large results push others out before they are many"), () => {
    const cache = new ResultCache();
    const code = "x".repeat(1 << 20);
    for (let n = 0; n < 20; n += 1) cache.set(key(n), { code, diagnostics: [] });
    expect(
      Array.from({ length: 20 }, (_, n) => cache.get(key(n))).filter((result) => result !== undefined),
    ).toHaveLength(7);
  });
});

describe("what is said of work that was stopped", () => {
  test.each([
    ["timeout", "longer than 5000 ms"],
    ["memory", "too much memory"],
    ["nesting", "nested too deeply"],
    ["fault", "TypeScript itself (Debug Failure)"],
  ] as const)(verifies("check:killed", "%s says %j and the way around"), (reason, words) => {
    const { code, diagnostics } = stoppedResult(
      { script: "1", check: "error" },
      reason,
      5_000,
      "Debug Failure",
    );
    expect(code).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error", code: "SCRIPT_TYPE" }]);
    expect(diagnostics[0]?.message).toContain(words);
    expect(diagnostics[0]?.suggestion).toContain('check: "off"');
  });

  test(verifies("check:killed", "with the check off it is a syntax error, and off is not proposed"), () => {
    const { diagnostics } = stoppedResult({ script: "1", check: "off" }, "timeout", 5_000);
    expect(diagnostics).toMatchObject([{ severity: "error", code: "SCRIPT_SYNTAX" }]);
    expect(diagnostics[0]?.suggestion).not.toContain("off");
  });
});
