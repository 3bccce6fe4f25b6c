// Pins as laws: what is admitted, what is held back, what is kept, what a difference shows.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPins, pinHash, type Pins } from "../../broker/pins.ts";
import { diffDefinitions, type DiffLine } from "../../broker/pins-diff.ts";
import { createPinFile, pinText, type Pin, type PinStore, type PinTable } from "../../broker/pins-file.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { verifies } from "../requirements.ts";

const NONE: ReadonlySet<string> = new Set();
const object = { type: "object" } as const;

function tool(name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return { server: "s", name, description: `Does ${name}.`, inputSchema: object, ...extra };
}

function lockFile(): string {
  const path = mkdtempSync(join(tmpdir(), "callgate-pins-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "callgate.lock.json");
}

async function pinned(path: string, tools: readonly ToolDefinition[]): Promise<Pins> {
  const pins = await createPins({ store: createPinFile(path), exempt: NONE });
  pins.admit("s", tools);
  await pins.save();
  return pins;
}

describe("admission", () => {
  test(verifies("pins:first-use", "every tool of a new server is pinned, without a word"), async () => {
    const path = lockFile();
    const pins = await pinned(path, [tool("a"), tool("b")]);
    expect(pins.notes()).toEqual([]);
    expect(pins.changes()).toEqual([]);
    expect(readFileSync(path, "utf8")).toContain(pinHash(tool("a")));
  });

  test(verifies("pins:first-use", "a new tool of a known server is pinned and named"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a")]);
    const pins = await pinned(path, [tool("a"), tool("b")]);
    expect(pins.notes()).toEqual(["new tools of s were pinned: b"]);
    expect(pins.quarantine("s", "b")).toBeUndefined();
    expect((await pinned(path, [tool("a"), tool("b")])).notes()).toEqual([]);
  });

  test(verifies("pins:first-use", "a tool that went away and comes back changed is held back"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a"), tool("b")]);
    await pinned(path, [tool("b")]);
    const pins = await pinned(path, [tool("a", { description: "Other." }), tool("b")]);
    expect(pins.quarantine("s", "a")).toMatch(/description/);
  });

  const changes: readonly (readonly [string, Partial<ToolDefinition>])[] = [
    ["title", { title: "Do" }],
    ["description", { description: "Does a, and tells." }],
    ["inputSchema", { inputSchema: { type: "object", properties: { to: { type: "string" } } } }],
    ["outputSchema", { outputSchema: object }],
    ["annotations", { annotations: { readOnlyHint: true } }],
  ];
  test.each(changes)(
    verifies("pins:quarantine", "a change of %s is seen and named, and the tool is shown as it was"),
    async (part, change) => {
      const path = lockFile();
      await pinned(path, [tool("a")]);
      const pins = await createPins({ store: createPinFile(path), exempt: NONE });
      expect(pins.admit("s", [tool("a", change)])).toEqual([tool("a")]);
      expect(pins.quarantine("s", "a")).toBe(
        `its ${part} changed since it was accepted; callgate trust s shows how, and accepts it`,
      );
      expect(pins.notes()[0]).toMatch(/^s\.a is quarantined: /);
      expect(pins.changes()).toMatchObject([{ server: "s", tool: "a" }]);
    },
  );

  test(
    verifies("pins:quarantine", "several changes are named together, and the change back ends it"),
    async () => {
      const path = lockFile();
      const pins = await pinned(path, [tool("a")]);
      pins.admit("s", [tool("a", { title: "A", description: "B", annotations: {} })]);
      expect(pins.quarantine("s", "a")).toMatch(/^its title, description and annotations changed/);
      expect(pins.admit("s", [tool("a")])).toEqual([tool("a")]);
      expect(pins.quarantine("s", "a")).toBeUndefined();
    },
  );

  test(verifies("pins:quarantine", "the order of keys is no change"), async () => {
    const path = lockFile();
    const schema = { type: "object", properties: { a: { type: "string", minLength: 1 }, b: {} } } as const;
    const turned = { properties: { b: {}, a: { minLength: 1, type: "string" } }, type: "object" } as const;
    await pinned(path, [tool("a", { inputSchema: schema })]);
    const pins = await pinned(path, [tool("a", { inputSchema: turned })]);
    expect(pins.changes()).toEqual([]);
  });

  test(verifies("pins:local", "an exempt server is neither pinned nor held back"), async () => {
    const path = lockFile();
    const pins = await createPins({ store: createPinFile(path), exempt: new Set(["s"]) });
    pins.admit("s", [tool("a")]);
    expect(pins.admit("s", [tool("a", { description: "Other." })])).toHaveLength(1);
    await pins.save();
    expect(pins.quarantine("s", "a")).toBeUndefined();
    expect(await createPinFile(path).load()).toBeUndefined();
  });

  test(
    verifies("pins:quarantine", "names that are special to JavaScript are names like any other"),
    async () => {
      const path = lockFile();
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
      await pinned(
        path,
        names.map((name) => tool(name)),
      );
      const pins = await pinned(
        path,
        names.map((name) => tool(name, { title: "x" })),
      );
      expect(pins.changes().map(({ tool: name }) => name)).toEqual(names);
    },
  );
});

describe("acceptance", () => {
  test(verifies("pins:accept", "an accepted change holds from then on"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a"), tool("b")]);
    const changed = [tool("a", { title: "A" }), tool("b", { title: "B" })];
    const pins = await pinned(path, changed);
    const [first] = pins.changes();
    expect(await pins.accept([first!])).toBe(1);
    expect(pins.changes().map(({ tool: name }) => name)).toEqual(["b"]);
    expect((await pinned(path, changed)).changes().map(({ tool: name }) => name)).toEqual(["b"]);
  });

  test(verifies("pins:accept", "what changed again after it was shown is not accepted"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a")]);
    const pins = await pinned(path, [tool("a", { title: "shown" })]);
    const shown = pins.changes();
    pins.admit("s", [tool("a", { title: "not shown" })]);
    expect(await pins.accept(shown)).toBe(0);
    expect(pins.quarantine("s", "a")).toBeDefined();
    expect(readFileSync(path, "utf8")).not.toContain("shown");
  });

  test(verifies("pins:accept", "nothing that is not held back can be accepted"), async () => {
    const pins = await pinned(lockFile(), [tool("a")]);
    expect(await pins.accept([{ server: "s", tool: "zzz", sha256: "0".repeat(64) }])).toBe(0);
  });
});

describe("lock file", () => {
  test(
    verifies("pins:file", "two processes that pin at the same time lose nothing of each other"),
    async () => {
      const path = lockFile();
      const one = await createPins({ store: createPinFile(path), exempt: NONE });
      const two = await createPins({ store: createPinFile(path), exempt: NONE });
      one.admit("one", [tool("a")]);
      two.admit("two", [tool("b")]);
      await one.save();
      await two.save();
      expect([...((await createPinFile(path).load()) ?? [])].map(([server]) => server)).toEqual([
        "one",
        "two",
      ]);
    },
  );

  test(verifies("pins:file", "a pin that another process kept is not replaced by a first use"), async () => {
    const path = lockFile();
    const late = await createPins({ store: createPinFile(path), exempt: NONE });
    await pinned(path, [tool("a")]);
    late.admit("s", [tool("a", { title: "other" })]);
    await late.save();
    const table = await createPinFile(path).load();
    expect(table?.get("s")?.get("a")?.sha256).toBe(pinHash(tool("a")));
  });

  test(verifies("pins:file", "its text does not depend on the order in which tools come"), async () => {
    const [one, two] = [lockFile(), lockFile()];
    await pinned(one, [tool("a"), tool("b"), tool("C")]);
    await pinned(two, [tool("C"), tool("b"), tool("a")]);
    expect(readFileSync(one, "utf8")).toBe(readFileSync(two, "utf8"));
    expect(readFileSync(one, "utf8")).toMatch(/^\{\n {2}"lockVersion": 1,\n[^]*\}\n$/);
  });

  test(verifies("pins:file", "nothing in it is invisible, and it reads back as it was"), async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\u202e", "\u200b", "\u{e0041}", "\\u{202e}", "\n", "ä", "😀"),
        fc.string({ maxLength: 3 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (description, key) => {
        const path = join(lockFile());
        const schema = { type: "object", properties: { [key.toWellFormed()]: { description } } };
        const given = tool("a", { description: description.toWellFormed(), inputSchema: schema });
        const table: PinTable = new Map([
          ["s", new Map<string, Pin>([["a", { sha256: pinHash(given), definition: given }]])],
        ]);
        const written = pinText(table);
        expect(written).not.toMatch(/[\u200b\u202e]|[\u{e0000}-\u{e007f}]/u);
        writeFileSync(path, written);
        const read = (await createPinFile(path).load())?.get("s")?.get("a");
        expect(pinHash(read!.definition)).toBe(read!.sha256);
      }),
      { numRuns: 100 },
    );
  });

  test(verifies("pins:file", "an entry that was edited by hand vouches for nothing"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a")]);
    writeFileSync(path, readFileSync(path, "utf8").replace("Does a.", "Does a, and more."));
    const pins = await createPins({ store: createPinFile(path), exempt: NONE });
    const [shown] = pins.admit("s", [tool("a", { description: "Does a, and more." })]);
    expect(pins.quarantine("s", "a")).toMatch(/contradicts itself/);
    expect(shown?.description).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["an empty file", ""],
    ["a list", "[]"],
    ["another version", '{"lockVersion":2,"servers":{}}'],
    ["an unknown key", '{"lockVersion":1,"servers":{},"extra":1}'],
    ["a pin without hash", '{"lockVersion":1,"servers":{"s":{"a":{"definition":{"inputSchema":{}}}}}}'],
  ])(verifies("pins:file", "%s is refused, and not taken for a first use"), async (_what, text) => {
    const path = lockFile();
    writeFileSync(path, text);
    const made = createPins({ store: createPinFile(path), exempt: NONE });
    await expect(made).rejects.toMatchObject({ code: "CONFIG_INVALID", data: { path: "pins.file" } });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test(verifies("pins:file", "pins that cannot be kept hold for this process, and are told of"), async () => {
    const store: PinStore = {
      load: () => Promise.resolve(undefined),
      save: () => Promise.reject(Object.assign(new Error("no"), { code: "EROFS" })),
    };
    const pins = await createPins({ store, exempt: NONE });
    pins.admit("s", [tool("a")]);
    await pins.save();
    expect(pins.notes().at(-1)).toMatch(/cannot be kept.*EROFS/);
    pins.admit("s", [tool("a", { title: "A" })]);
    expect(pins.quarantine("s", "a")).toBeDefined();
  });

  test(verifies("pins:file", "no half-written file is left behind"), async () => {
    const path = lockFile();
    await pinned(path, [tool("a")]);
    expect(readdirSync(join(path, ".."))).toEqual(["callgate.lock.json"]);
  });
});

describe("difference", () => {
  const words = (lines: readonly DiffLine[], sign: string): readonly string[] =>
    lines.filter((line) => line.sign === sign).map(({ text }) => text);

  test(verifies("pins:diff", "only what changed is shown, under the name of its part"), () => {
    const before = tool("a", { description: "one\ntwo\nthree\nfour\nfive\nsix" });
    const after = tool("a", { description: "one\ntwo\nthree\nfour\n5\nsix" });
    expect(diffDefinitions(before, after)).toEqual([
      { sign: " ", text: "description:" },
      { sign: "…", text: "2 same" },
      { sign: " ", text: "  three" },
      { sign: " ", text: "  four" },
      { sign: "-", text: "  five" },
      { sign: "+", text: "  5" },
      { sign: " ", text: "  six" },
    ]);
  });

  test(verifies("pins:diff", "without an accepted definition everything is new"), () => {
    const lines = diffDefinitions(undefined, tool("a"));
    expect(lines.every(({ sign }) => sign === "+")).toBe(true);
  });

  test(verifies("pins:diff", "invisible characters are shown as escapes"), () => {
    const lines = diffDefinitions(
      tool("a"),
      tool("a", { description: "Does\u202e a.\u200b\u{e0041}\u001b[2J" }),
    );
    expect(words(lines, "+")).toEqual(["  Does\\u202e a.\\u200b\\u{e0041}\\u001b[2J"]);
  });

  test(verifies("pins:diff", "a text that hides in variation selectors is shown as escapes"), () => {
    const hidden = [..."ignore"].map((one) => String.fromCodePoint(0xe0100 + one.charCodeAt(0))).join("");
    const lines = diffDefinitions(tool("a"), tool("a", { description: `Does a.${hidden}` }));
    expect(lines.map(({ text }) => text).join("\n")).toMatch(/Does a\.\\u/);
  });

  test(verifies("pins:diff", "long lines are wrapped, not cut"), () => {
    const long = "x".repeat(1_000);
    const lines = diffDefinitions(tool("a"), tool("a", { description: long }));
    expect(
      words(lines, "+")
        .map((line) => line.trim())
        .join(""),
    ).toBe(long);
    expect(lines.every(({ text }) => text.length <= 170)).toBe(true);
  });

  test(verifies("pins:diff", "a long difference is cut with a word about how much is missing"), () => {
    const text = Array.from({ length: 5_000 }, (_, at) => `line ${at}`).join("\n");
    const lines = diffDefinitions(tool("a"), tool("a", { description: text }));
    expect(lines).toHaveLength(401);
    expect(lines.at(-1)?.text).toMatch(/^4[\d,]+ more lines are not shown$/);
  });

  test(verifies("pins:diff", "old and new can both be read off it"), () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (one, two) => {
        const [before, after] = [
          tool("a", { description: one.join("\n") }),
          tool("a", { description: two.join("\n") }),
        ];
        const lines = diffDefinitions(before, after);
        const skipped = (kept: string): string =>
          lines
            .filter(({ sign }) => sign === kept || sign === " ")
            .map(({ text: line }) => line.trim())
            .join("\n");
        if (lines.some(({ sign }) => sign === "…") || one.join() === two.join()) return;
        expect(skipped("-")).toBe(
          `description:\n${one.join("\n")}`.trimEnd() + (one.length === 0 ? "\n" : ""),
        );
        expect(skipped("+")).toBe(
          `description:\n${two.join("\n")}`.trimEnd() + (two.length === 0 ? "\n" : ""),
        );
      }),
    );
  });
});
