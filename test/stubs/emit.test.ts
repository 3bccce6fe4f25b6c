// The rules of the emitter, one by one.
import { expect, test } from "vitest";
import type { JsonObject } from "../../contract/json.ts";
import type { Detail } from "../../contract/tool.ts";
import { emitDeclarations, emitOneLine, emitTool } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { named, toolOf } from "./emit-data.ts";
import { declarationsOf, errorsByLine } from "./emit-program.ts";

const lineOf = (inputSchema: JsonObject, detail: Detail = "summary"): string =>
  emitTool(toolOf({ inputSchema }), { detail }).text;
const properties = (of: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: of,
  ...more,
});
const typeOf = (schema: JsonObject, more: JsonObject = {}): string =>
  /^s\.t\(input\?: \{ v\?: (.*) \}\): Promise<any>/.exec(lineOf(properties({ v: schema }, more)))?.[1] ??
  "no match";

test(verifies("stubs:detail", "a tool is shown by name with one line, in summary, and in full"), () => {
  const tool = toolOf({
    description: "Finds things. Every thing has a place.",
    inputSchema: properties(
      { q: { type: "string", minLength: 2, description: "What to find. Words only." } },
      { required: ["q"] },
    ),
  });
  expect(emitTool(tool, { detail: "name" }).text).toBe("s.t // Finds things");
  expect(emitTool(tool, { detail: "summary" }).text).toBe(
    "/** Finds things. */\ns.t(input: { /** What to find. */ q: string }): Promise<any>",
  );
  expect(emitTool(tool, { detail: "full" }).text).toBe(
    "/** Finds things. Every thing has a place. */\ns.t(input: { /** What to find. Words only. [>=2 chars] */ q: string }): Promise<any>",
  );
  expect(emitDeclarations([tool], { docs: "none" }).text).toBe(
    "declare namespace s {\nfunction t(input: { q: string }): Promise<any>;\n}\n",
  );
});

test(verifies("stubs:detail", "a tool without words is its name alone"), () => {
  expect(emitTool(toolOf({}), { detail: "name" }).text).toBe("s.t");
  expect(emitOneLine(toolOf({ title: "A title" }))).toBe("A title");
});

test(verifies("stubs:detail", "a summary leaves out what only repeats the name of its property"), () => {
  expect(lineOf(properties({ repoName: { type: "string", description: "The repo name." } }))).toBe(
    "s.t(input?: { repoName?: string }): Promise<any>",
  );
});

test(
  verifies("stubs:detail", "a changed name and a changed server name are shown beside the new ones"),
  () => {
    const [tool] = named([{ server: "my-server", name: "get-user", inputSchema: {} }]);
    expect(emitDeclarations([tool!], { docs: "summary" }).text).toContain(
      "/** server: my-server */\ndeclare namespace my_server {\n/** mcp: get-user. */\nfunction get_user(",
    );
  },
);

test(verifies("stubs:optional-input", "an argument of which nothing is required may be left out"), () => {
  expect(lineOf({ type: "object" })).toBe("s.t(input?: Record<string, unknown>): Promise<any>");
  expect(lineOf(properties({}, { additionalProperties: false }))).toBe(
    "s.t(input?: Record<string, never>): Promise<any>",
  );
  expect(lineOf({ $schema: "http://json-schema.org/draft-07/schema#" })).toContain(
    "(input?: Record<string, unknown>)",
  );
  expect(
    lineOf({ oneOf: [properties({ a: true }, { required: ["a"] }), properties({ b: true })] }),
  ).toContain("(input?:");
  expect(lineOf(properties({ n: { type: "integer", default: 5 } }, { required: ["n"] }))).toContain(
    "(input?: { n?: number })",
  );
  expect(lineOf(properties({ n: { type: "integer" } }, { required: ["n"] }))).toContain(
    "(input: { n: number })",
  );
});

test(
  verifies(
    "stubs:result",
    "a result has the type of its schema, or any; what is unknown inside it can be read",
  ),
  () => {
    const result = (outputSchema: JsonObject): string =>
      emitTool(toolOf({ outputSchema }), { detail: "summary" }).text;
    expect(result(properties({ ok: { type: "boolean" } }))).toContain("Promise<{ ok?: boolean }>");
    expect(result(properties({ raw: true }, { required: ["raw"] }))).toContain("Promise<{ raw: any }>");
    expect(result({ type: "object" })).toContain("Promise<Record<string, any>>");
    expect(result({ $ref: "https://x.invalid/" })).toContain("Promise<any>");
  },
);

test(
  verifies("stubs:references", "definitions are inlined once or when small, else named; titles name nothing"),
  () => {
    const pair = properties({ a: { type: "string" }, b: { type: "string" } });
    const defs = { $defs: { P: pair, S: { type: "string", title: "Strange" } } };
    const two = lineOf(
      properties(
        { x: { $ref: "#/$defs/P", title: "Filter" }, y: { $ref: "#/$defs/P", description: "other text" } },
        defs,
      ),
    );
    expect(two).toBe(
      "s.t(input?: { x?: P; /** other text */ y?: P }): Promise<any>\ntype P = { a?: string; b?: string };",
    );
    expect(
      lineOf(
        properties({ x: { $ref: "#/$defs/P" }, y: { $ref: "#/$defs/S" }, z: { $ref: "#/$defs/S" } }, defs),
      ),
    ).toBe("s.t(input?: { x?: { a?: string; b?: string }; y?: string; z?: string }): Promise<any>");
  },
);

test(
  verifies("stubs:references", "what is not in the document becomes unknown, with a note that names it"),
  () => {
    const { text, notes } = emitTool(
      toolOf({ inputSchema: properties({ a: { $ref: "file:///tmp/x.json" } }) }),
      { detail: "full" },
    );
    expect(text).toBe("s.t(input?: { a?: unknown }): Promise<any>");
    expect(notes).toEqual([expect.stringContaining("file:///tmp/x.json")]);
  },
);

test(
  verifies(
    "stubs:recursion",
    "a recursive definition is one named type, and a map of itself has an index signature",
  ),
  () => {
    const json = {
      anyOf: [{ type: "null" }, { type: "object", additionalProperties: { $ref: "#/$defs/Json" } }],
    };
    expect(lineOf(properties({ v: { $ref: "#/$defs/Json" } }, { $defs: { Json: json } }))).toBe(
      "s.t(input?: { v?: Json }): Promise<any>\ntype Json = null | { [k: string]: Json };",
    );
    expect(lineOf(properties({ next: { $ref: "#" } }))).toBe(
      "s.t(input?: { next?: Input }): Promise<any>\ntype Input = { next?: Input };",
    );
  },
);

test(verifies("stubs:recursion", "input and output may both define a type of one name"), () => {
  const tree = properties(
    { next: { $ref: "#/$defs/Node" } },
    { $defs: { Node: properties({ next: { $ref: "#/$defs/Node" } }) } },
  );
  const tool = toolOf({ inputSchema: tree, outputSchema: tree });
  const { text } = emitDeclarations([tool], { docs: "none" });
  expect(text.match(/type Node\w* =/g)?.length).toBe(2);
  expect([...errorsByLine(text)]).toEqual([]);
});

test(verifies("stubs:composition", "alternatives in a list stand in parentheses"), () => {
  expect(typeOf({ type: "array", items: { enum: ["a", "b"] } })).toBe('("a" | "b")[]');
  expect(typeOf({ type: "array", items: { type: ["string", "null"] } })).toBe("(string | null)[]");
  expect(typeOf({ type: "array", prefixItems: [{ enum: ["a", "b"] }] })).toBe('[("a" | "b")?, ...unknown[]]');
});

test(verifies("stubs:composition", "composition adds to what stands beside it"), () => {
  const a = properties({ a: { type: "string" } }, { required: ["a"] });
  expect(typeOf({ ...a, oneOf: [properties({ b: true }), properties({ c: true })] })).toBe(
    "{ a: string } & ({ b?: unknown } | { c?: unknown })",
  );
  expect(typeOf({ allOf: [a, properties({ b: { type: "number" } })] })).toBe("{ a: string; b?: number }");
  expect(typeOf({ allOf: [{ $ref: "#/$defs/A" }] }, { $defs: { A: a } })).toBe("{ a: string }");
  expect(typeOf({ type: "string", anyOf: [{ enum: ["x"] }, { minLength: 3 }] })).toBe("string");
  expect(typeOf({ anyOf: [{ required: ["a"] }, { required: ["b"] }], ...a })).toBe("{ a: string }");
  expect(typeOf({ not: { type: "string" } })).toBe("unknown");
  expect(typeOf({ type: "string", allOf: [{ minLength: 1 }, { not: { const: "" } }] })).toBe("string");
  expect(typeOf({ type: "string", pattern: "^[^@]+@[^@]+\\.[^@]+$" })).toBe("string");
});

test(verifies("stubs:objects", "each kind of openness has its form"), () => {
  expect(typeOf({ type: "object" })).toBe("Record<string, unknown>");
  expect(typeOf(properties({}, { additionalProperties: false }))).toBe("Record<string, never>");
  expect(typeOf({ type: "object", additionalProperties: { type: "number" } })).toBe("Record<string, number>");
  expect(typeOf(properties({ a: { type: "string" } }, { additionalProperties: { type: "number" } }))).toBe(
    "{ a?: string; [k: string]: unknown }",
  );
  expect(
    typeOf({ type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false }),
  ).toBe("Record<string, number>");
  expect(typeOf({ type: "object", required: ["k"] })).toBe("{ k: unknown }");
  expect(typeOf(properties({ toString: { type: "string" } }))).toBe("{ toString?: unknown }");
});

test(verifies("stubs:tuples", "tuples are closed, open or typed at their end"), () => {
  const two = [{ type: "string" }, { type: "number" }];
  expect(typeOf({ type: "array", prefixItems: two, items: false })).toBe("[string?, number?]");
  expect(typeOf({ type: "array", prefixItems: two, minItems: 2, maxItems: 2 })).toBe("[string, number]");
  expect(typeOf({ type: "array", prefixItems: two, minItems: 1, items: { type: "null" } })).toBe(
    "[string, number?, ...null[]]",
  );
  expect(typeOf({ type: "array", items: two, additionalItems: false })).toBe("[string?, number?]");
  expect(typeOf({ type: "array", minItems: 3, maxItems: 10 })).toBe("unknown[]");
});

test(
  verifies("stubs:literals", "listed values are literal types within their type, up to two hundred"),
  () => {
    expect(typeOf({ type: "string", enum: ["a", 1, null] })).toBe('"a"');
    expect(typeOf({ enum: [] })).toBe("never");
    expect(typeOf({ const: null })).toBe("null");
    expect(typeOf({ enum: [1, "a", true, null, -0.5] })).toBe('1 | "a" | true | null | -0.5');
    expect(typeOf({ type: "string", enum: Array.from({ length: 201 }, (_, i) => `v${i}`) })).toBe("string");
    expect(typeOf({ type: ["string", "null"], enum: ["a", null] })).toBe('"a" | null');
  },
);

test(
  verifies(
    "stubs:constraints",
    "ranges, formats, patterns and defaults stand in a comment, wrong digits do not",
  ),
  () => {
    const facts = (schema: JsonObject): string =>
      /\[(.*)\] \*\//.exec(lineOf(properties({ v: schema }), "full"))?.[1] ?? "";
    expect(facts({ type: "integer", minimum: 1, maximum: 100, default: 10 })).toBe(
      "default 10, integer, 1..100",
    );
    expect(facts({ type: "number", exclusiveMinimum: 0, maximum: 1, multipleOf: 0.1 })).toBe(
      ">0 <=1, multiple of 0.1",
    );
    expect(facts({ type: "string", format: "uuid", maxLength: 36 })).toBe("<=36 chars, uuid");
    expect(facts({ type: "string", pattern: "^[a-z]+$" })).toBe("/^[a-z]+$/");
    expect(facts({ type: "array", minItems: 1, maxItems: 3 })).toBe("1..3 items");
    expect(facts({ type: "integer", maximum: 2 ** 63 })).toBe("integer");
    expect(facts({ type: "string", deprecated: true })).toBe("deprecated");
  },
);

test(
  verifies("stubs:own-faults", "a tool with a senseless schema is typed loosely, the others are not touched"),
  () => {
    const fine = {
      server: "s",
      name: "fine",
      inputSchema: properties({ a: { type: "string" } }, { required: ["a"] }),
    };
    for (const bad of [
      { type: "string" },
      { type: [] },
      { properties: 7 },
      { anyOf: "x" },
      { $ref: 1 },
      { $ref: "#" },
    ]) {
      const { text } = emitDeclarations(
        named([fine, { server: "s", name: "odd", inputSchema: bad as unknown as JsonObject }]),
        { docs: "full" },
      );
      expect(text).toContain("function fine(input: { a: string }): Promise<any>;");
      expect(text).toContain("function odd(");
      expect([...errorsByLine(text)], JSON.stringify(bad)).toEqual([]);
    }
  },
);

test(verifies("stubs:compile", "a declaration holds one namespace for each server and nothing else"), () => {
  const tools = ["a", "b"].flatMap((server) => ["x", "y"].map((name) => ({ server, name, inputSchema: {} })));
  expect(declarationsOf(emitDeclarations(named(tools), { docs: "full" }).text)).toEqual([
    "ModuleDeclaration a",
    "ModuleDeclaration b",
  ]);
  expect(emitDeclarations([], { docs: "none" }).text).toBe("");
});
