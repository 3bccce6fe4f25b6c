// The reading of raw tools, and the walk over their pages.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { createListWalk, schemaForSdk, type ListWalk } from "../../../broker/upstream/list-walk.ts";
import { readTools } from "../../../broker/upstream/tool-list.ts";
import { dataFolder, readData } from "../../support/data.ts";
import { verifies } from "../../requirements.ts";

const schema = { type: "object" };
const good = { name: "good", inputSchema: schema };
const readOne = (tool: unknown): ReturnType<typeof readTools> => readTools("srv", [tool, good]);

test(
  verifies("upstream:list-faulty", "a sound tool is taken as it is, under its server's configured name"),
  () => {
    const tool = {
      name: "list_issues",
      title: "List",
      description: "Lists issues",
      inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
      outputSchema: { type: "array" },
      annotations: { title: "L", readOnlyHint: true, destructiveHint: false },
    };
    expect(readTools("srv", [tool])).toEqual({ tools: [{ server: "srv", ...tool }], notes: [] });
  },
);

test.each<[string, unknown, RegExp]>([
  ["null", null, /tool number 1 was dropped: it is not an object/],
  ["a list", [], /tool number 1 was dropped/],
  ["no name", { inputSchema: schema }, /number 1 was dropped: it has no name/],
  ["an empty name", { name: "", inputSchema: schema }, /it has no name/],
  ["a name that is no text", { name: 5, inputSchema: schema }, /it has no name/],
  ["a name with control characters", { name: "a\u001b[2Jb", inputSchema: schema }, /not printable/],
  ["a name that reverses text", { name: "a\u202eb", inputSchema: schema }, /not printable/],
  ["an endless name", { name: "x".repeat(5_000), inputSchema: schema }, /not printable/],
  ["text as schema", { name: "bad", inputSchema: "object" }, /"bad" was dropped: its inputSchema/],
  [
    "a schema of a list",
    { name: "bad", inputSchema: { type: "array" } },
    /"bad" was dropped: its inputSchema/,
  ],
  [
    "tasks only",
    { name: "bad", inputSchema: schema, execution: { taskSupport: "required" } },
    /only as a task/,
  ],
])(
  verifies("upstream:list-faulty", "an unusable tool is dropped alone and named: %s"),
  (_name, tool, note) => {
    const { tools, notes } = readOne(tool);
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(note);
    expect(notes[0]?.length).toBeLessThan(300);
  },
);

test.each<[string, JsonObject, JsonObject]>([
  ["no inputSchema", { inputSchema: undefined as unknown as JsonValue }, { type: "object" }],
  ["null", { inputSchema: null }, { type: "object" }],
  ["true", { inputSchema: true }, { type: "object" }],
  ["an empty one", { inputSchema: {} }, { type: "object" }],
  ["one without type", { inputSchema: { properties: { a: {} } } }, { type: "object", properties: { a: {} } }],
  ["object or null", { inputSchema: { type: ["object", "null"] } }, { type: "object" }],
])(
  verifies("upstream:list-faulty", "an input schema that leaves things out is completed: %s"),
  (_n, part, expected) => {
    const { tools } = readOne({ name: "t", ...part });
    expect(tools[0]?.inputSchema).toEqual(expected);
  },
);

test(verifies("upstream:list-faulty", "faulty optional parts are left out, the tool stays"), () => {
  const { tools, notes } = readOne({
    name: "t",
    inputSchema: schema,
    description: null,
    title: 5,
    outputSchema: "string",
    annotations: "readOnly",
  });
  expect(tools[0]).toEqual({ server: "srv", name: "t", inputSchema: schema });
  expect(notes).toHaveLength(4);
});

test(verifies("upstream:list-lies", "a hint that is no boolean counts as not given"), () => {
  const annotations = { readOnlyHint: "yes", idempotentHint: 1, destructiveHint: true, openWorldHint: null };
  const { tools, notes } = readOne({ name: "t", inputSchema: schema, annotations });
  expect(tools[0]?.annotations).toEqual({ destructiveHint: true });
  expect(notes).toHaveLength(3);
});

test(verifies("upstream:list-lies", "inherited names are never read as parts of a tool"), () => {
  const { tools } = readTools("srv", [
    JSON.parse('{"name":"t","__proto__":{"inputSchema":{"type":"array"}}}'),
  ]);
  expect(tools[0]?.inputSchema).toEqual({ type: "object" });
  expect(readTools("srv", [Object.create({ name: "inherited" })]).tools).toEqual([]);
});

test(verifies("upstream:list-faulty", "of two tools with one name the first is used"), () => {
  const { tools, notes } = readTools("srv", [good, { ...good, description: "second" }]);
  expect(tools).toEqual([{ server: "srv", ...good }]);
  expect(notes).toEqual(['tool "good" is listed twice; the first is used']);
});

test(
  verifies("upstream:list-faulty", "names that differ in case, or belong to Object, are tools of their own"),
  () => {
    const listed = ["a", "A", "constructor", "__proto__", "toString"].map((name) => ({
      name,
      inputSchema: schema,
    }));
    expect(readTools("srv", listed).tools.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
  },
);

test(verifies("upstream:list-faulty", "a definition that nests too deep is dropped"), () => {
  let deep: JsonObject = { type: "object" };
  for (let at = 0; at < 10_000; at += 1) deep = { type: "object", properties: { a: deep } };
  const { tools, notes } = readOne({ name: "deep", inputSchema: deep });
  expect(tools.map(({ name }) => name)).toEqual(["good"]);
  expect(notes[0]).toMatch(/"deep" was dropped: its definition nests deeper/);
});

test(
  verifies("upstream:list-faulty", "whatever is listed, each tool is judged alone and reading never fails"),
  () => {
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.string(), inputSchema: fc.jsonValue(), annotations: fc.jsonValue() }),
      fc.record({
        name: fc.constantFrom("a", "b"),
        inputSchema: fc.constant(schema),
        description: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(fc.array(hostile), (raw) => {
        const { tools } = readTools("srv", [...raw, { name: "last one", inputSchema: schema }]);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
        expect(tools.some(({ name }) => name === "last one")).toBe(true);
        for (const tool of tools) expect(tool.inputSchema["type"]).toBe("object");
        // The verdict on a tool does not depend on its neighbours.
        const apart = raw.flatMap((tool) => readTools("srv", [tool]).tools.map(({ name }) => name));
        expect(new Set(apart)).toEqual(
          new Set(
            tools.map(({ name }) => name).filter((name) => name !== "last one" || apart.includes(name)),
          ),
        );
      }),
    );
  },
);

test(verifies("upstream:list-faulty", "tools as they are found in the field are taken without loss"), () => {
  const folder = dataFolder === undefined ? undefined : join(dataFolder, "corpus/schemas");
  const lists =
    folder === undefined
      ? [[good, { name: "a.b/c d", inputSchema: schema }]]
      : readdirSync(folder).map(
          (file) => (readData(`corpus/schemas/${file}`) as { tools: JsonObject[] }).tools,
        );
  for (const listed of lists) {
    const { tools } = readTools("srv", listed);
    expect(tools.length).toBe(new Set(listed.map((tool) => tool["name"])).size);
  }
});

function walkOver(pages: readonly JsonValue[]): { readonly walk: ListWalk; readonly asked: number } {
  const walk = createListWalk();
  walk.restart();
  let asked = 0;
  for (let cursor: JsonValue | undefined = ""; cursor !== undefined && asked < 5_000; asked += 1) {
    cursor = walk.take(pages[asked % pages.length] ?? null, false)["nextCursor"];
  }
  return { walk, asked };
}

const page = (name: string, nextCursor?: JsonValue): JsonObject => ({
  tools: [{ name }],
  ...(nextCursor === undefined ? {} : { nextCursor }),
});

test(
  verifies("upstream:list-pages", "a walk goes on while there is a cursor, the empty one included"),
  () => {
    const { walk, asked } = walkOver([page("a", "x"), page("b", ""), page("c")]);
    expect(asked).toBe(3);
    expect(walk.raw).toEqual([{ name: "a" }, { name: "b" }, { name: "c" }]);
    expect(walk.notes).toEqual([]);
  },
);

test(verifies("upstream:list-pages", "null means that there is no next page"), () => {
  expect(walkOver([page("a", null)]).asked).toBe(1);
});

test.each<[string, JsonValue[], number, string[]]>([
  ["one cursor again and again", [page("a", "x")], 2, ["a"]],
  ["a circle of two", [page("a", "x"), page("b", "y")], 3, ["a", "b"]],
  ["an empty cursor that starts anew", [page("a", "")], 2, ["a"]],
])(verifies("upstream:list-pages", "pages that repeat are read once: %s"), (_name, pages, asked, tools) => {
  const over = walkOver(pages);
  expect(over.asked).toBe(asked);
  expect(over.walk.raw).toEqual(tools.map((name) => ({ name })));
  expect(over.walk.notes).toHaveLength(1);
});

test(verifies("upstream:list-pages", "a walk with ever new cursors ends at a thousand pages"), () => {
  const walk = createListWalk();
  let asked = 0;
  for (let cursor: JsonValue | undefined = ""; cursor !== undefined; asked += 1) {
    cursor = walk.take(page(`t${asked}`, `c${asked}`), false)["nextCursor"];
  }
  expect(asked).toBe(1_000);
  expect(walk.raw).toHaveLength(1_000);
  expect(walk.notes[0]).toMatch(/more than 1000 pages/);
});

test(verifies("upstream:list-pages", "a cursor that is no text ends the walk with a note"), () => {
  const { walk, asked } = walkOver([page("a", 5)]);
  expect(asked).toBe(1);
  expect(walk.notes[0]).toMatch(/not text/);
});

test(verifies("upstream:list-faulty", "a page without a list is empty and noted"), () => {
  for (const faulty of [null, 5, {}, { tools: {} }, []]) {
    const { walk } = walkOver([faulty as JsonValue]);
    expect(walk.raw).toEqual([]);
    expect(walk.notes).toHaveLength(1);
  }
});

test(verifies("upstream:list-faulty", "the SDK sees nothing of a tool that it could trip over"), () => {
  const walk = createListWalk();
  const seen = walk.take(
    { tools: [{ name: "a", inputSchema: 5, outputSchema: { $ref: "http://x" } }, null, { name: "b\u001b" }] },
    true,
  );
  expect(seen).toEqual({
    tools: [{ name: "a", inputSchema: { type: "object" } }],
    ttlMs: 0,
    cacheScope: "private",
  });
});

test.each(["\u001b[2J", "\u202e", "a".repeat(600)])(
  verifies("upstream:list-faulty", "a header name that no warning should print is kept from the SDK: %j"),
  (header) => {
    const asking = (properties: JsonObject): JsonValue => ({
      tools: [{ name: "a", inputSchema: { type: "object", properties } }],
    });
    const byValue = asking({ region: { type: "string", "x-mcp-header": header } });
    const byKey = asking({ [header]: { type: "string", "x-mcp-header": "Region" } });
    for (const page of [byValue, byKey]) {
      expect(createListWalk().take(page, true)).toMatchObject({ tools: [] });
    }
  },
);

test(
  verifies("upstream:list-faulty", "a schema that asks for HTTP headers is shown to the SDK, cleaned"),
  () => {
    const properties = { region: { type: "string", "x-mcp-header": "Region" } };
    expect(schemaForSdk({ type: "object", properties, required: "region" })).toEqual({
      type: "object",
      properties,
    });
    expect(schemaForSdk({ properties: { region: true, other: { "x-mcp-header": "A" } } })).toEqual({
      type: "object",
    });
    expect(schemaForSdk({ type: "object", properties: { a: {} } })).toEqual({ type: "object" });
  },
);
