// The text that reaches a terminal.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytes, counted, duration } from "../../cli/text/amount.ts";
import { nearest } from "../../cli/text/nearest.ts";
import { bold, dim, lines, red, render, wantsColour, type Text } from "../../cli/text/styled.ts";
import { visible, visibleLine } from "../../cli/text/visible.ts";
import { verifies } from "../requirements.ts";

const ESC = "\u001b";
const CONTROL = /[\p{Cc}]/u;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe("visible", () => {
  test.each([
    ["an escape sequence", `${ESC}[2J`, "\\u001b[2J"],
    ["a C1 control", "\u009b31m", "\\u009b31m"],
    ["a lone carriage return", "50%\r100%", "50%\\r100%"],
    ["a backspace", "ab\u0008", "ab\\u0008"],
    ["a bell", "\u0007", "\\u0007"],
    ["NUL", "a\0b", "a\\u0000b"],
    ["a right-to-left override", "\u202egpj.exe", "\\u202egpj.exe"],
    ["an isolate", "\u2066a\u2069", "\\u2066a\\u2069"],
    ["a zero-width space", "a\u200bb", "a\\u200bb"],
    ["a line separator", "a\u2028b", "a\\u2028b"],
    ["a tag character", "a\u{e0041}", "a\\u{e0041}"],
    ["a lone surrogate", "a\ud800b", "a\\ud800b"],
    ["a byte order mark", "\ufeffa", "\\ufeffa"],
  ])(verifies("cli:visible", "%s is shown as an escape"), (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test.each([
    ["line ends and tabs", "a\n\tb\n"],
    ["other scripts", "naïve 日本語 العربية"],
    ["emoji with joiners", "👩‍🚀"],
    ["ZWNJ as Persian writes it", "می‌خواهم"],
  ])(verifies("cli:visible", "%s stay as they are"), (_, text) => {
    expect(visible(text)).toBe(text);
  });

  test(verifies("cli:visible", "CRLF becomes LF"), () => {
    expect(visible("a\r\nb\r\n")).toBe("a\nb\n");
  });

  const anything = fc.string({
    unit: fc.constantFrom("a", "\n", "\r", ESC, "\u202e", "\u009b", "\ud800", "é", "\\"),
  });

  test(
    verifies("cli:visible", "no text leaves a control or bidirectional character, or a lone surrogate"),
    () => {
      fc.assert(
        fc.property(fc.oneof(anything, fc.string({ unit: "binary" })), (text) => {
          const shown = visible(text).replaceAll(/[\n\t]/g, "");
          expect(CONTROL.test(shown) || BIDI.test(shown)).toBe(false);
          expect(shown.isWellFormed()).toBe(true);
        }),
      );
    },
  );

  test(verifies("cli:visible", "what is visible already is not changed again"), () => {
    fc.assert(fc.property(anything, (text) => visible(visible(text)) === visible(text)));
  });

  test(verifies("cli:visible", "a line is one line within its bound, and nothing in it hides"), () => {
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.string({ unit: "binary" })),
        fc.integer({ min: 1, max: 50 }),
        (text, limit) => {
          const shown = visibleLine(text, limit);
          expect(shown.length).toBeLessThanOrEqual(limit);
          expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(shown)).toBe(false);
          expect(shown.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test(verifies("cli:visible", "fillers that look like a space are shown in a line"), () => {
    expect(visibleLine("a\u3164b\u200dc\nd\te")).toBe("a\\u3164b\\u200dc\\nd\\te");
  });

  test(
    verifies("cli:visible", "a text that hides in variation selectors is shown; an emoji stays one"),
    () => {
      expect(visibleLine("a\u{e0141}\ufe01b\u034f")).toBe("a\\u{e0141}\\ufe01b\\u034f");
      expect(visibleLine("\u26a0\ufe0f\ufe0f x\ufe0f")).toBe("\u26a0\ufe0f\\ufe0f x\\ufe0f");
    },
  );

  test(verifies("cli:visible", "a cut line says so"), () => {
    expect(visibleLine("abcdef", 4)).toBe("abc…");
    expect(visibleLine("ab😀def", 4)).toBe("ab…");
  });
});

describe("styled text", () => {
  test(verifies("cli:visible", "only styles make escape sequences"), () => {
    expect(render([red(`a${ESC}[0m`), "b"], true)).toBe(`${ESC}[31ma\\u001b[0m${ESC}[39mb`);
  });

  test(verifies("cli:colour", "without colour there are none at all"), () => {
    const text: Text = [bold(red("a")), dim("b"), lines(["c", "d"])];
    expect(render(text, false)).toBe("abc\nd\n");
  });

  test(
    verifies("cli:visible", "whatever strings a text is made of, they bring no control characters"),
    () => {
      const { text } = fc.letrec<{ text: Text }>((tie) => ({
        text: fc.oneof(
          { depthSize: "small" },
          fc.string({ unit: "binary" }),
          fc.array(tie("text"), { maxLength: 3 }),
          tie("text").map((inner) => red(inner)),
        ),
      }));
      fc.assert(
        fc.property(text, (value) => {
          const plain = render(value, true).replaceAll(/\u001b\[(?:31|39)m/g, "");
          expect(CONTROL.test(plain.replaceAll(/[\n\t]/g, ""))).toBe(false);
        }),
      );
    },
  );

  test.each([
    ["a terminal", true, {}, true],
    ["a pipe", false, {}, false],
    ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["a terminal with an empty NO_COLOR", true, { NO_COLOR: "" }, true],
    ["a dumb terminal", true, { TERM: "dumb" }, false],
    ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
    ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false],
    ["a pipe with both: NO_COLOR wins", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  ])(verifies("cli:colour", "%s"), (_, isTTY, env, colour) => {
    expect(wantsColour({ isTTY }, env)).toBe(colour);
  });
});

describe("amounts", () => {
  test(verifies("cli:receipt", "bytes, times and counts read as people write them"), () => {
    expect([0, 612, 999, 1_000, 1_234_567, 5e9].map(bytes)).toEqual([
      "0 B",
      "612 B",
      "999 B",
      "1.0 KB",
      "1.2 MB",
      "5.0 GB",
    ]);
    expect([0, 85, 1_240, 59_990, 59_999, 125_000].map(duration)).toEqual([
      "0 ms",
      "85 ms",
      "1.24 s",
      "59.99 s",
      "1 min 0 s",
      "2 min 5 s",
    ]);
    expect([counted(0, "call"), counted(1, "call"), counted(1_234, "call")]).toEqual([
      "0 calls",
      "1 call",
      "1,234 calls",
    ]);
  });

  test(verifies("cli:receipt", "negative amounts are nought"), () => {
    expect([bytes(-5), duration(-5)]).toEqual(["0 B", "0 ms"]);
  });
});

test(verifies("cli:limits", "a mistyped name finds its neighbour, a strange one finds none"), () => {
  expect(nearest("wallms", ["wallMs", "cpuMs"])).toBe("wallMs");
  expect(nearest("memory", ["memoryMb"])).toBe("memoryMb");
  expect(nearest("colour", ["wallMs", "cpuMs"])).toBeUndefined();
  expect(nearest("x".repeat(100_000), ["wallMs"])).toBeUndefined();
});
