// Hostile sizes: the text stays small, the notes say so, and the checker stays fast.
import ts from "typescript";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import { emitDeclarations, emitTool } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { toolOf } from "./emit-data.ts";
import { errorsByLine } from "./emit-program.ts";

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_u, index) => make(index));
const fromEntries = (entries: readonly (readonly [string, JsonValue])[]): JsonObject =>
  Object.fromEntries(entries);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const pair = (index: number): JsonObject => ({
  anyOf: [
    object({ [`a${index}`]: { type: "string" } }, { required: [`a${index}`] }),
    object({ [`b${index}`]: { type: "string" } }, { required: [`b${index}`] }),
  ],
});
const nest = (depth: number, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
};

const hostile: Readonly<Record<string, JsonObject>> = {
  "a product of alternatives": { type: "object", allOf: many(20, pair) },
  "a product of alternatives through definitions": object(
    { v: { allOf: many(20, (i) => ({ $ref: `#/$defs/d${i}` })) } },
    { $defs: fromEntries(many(20, (i) => [`d${i}`, { ...pair(i), description: "x" }])), also: 1 },
  ),
  "a product of products": object(
    { a: { $ref: "#/$defs/d0" }, b: { $ref: "#/$defs/d0" } },
    {
      $defs: fromEntries(
        many(30, (i) => [
          `d${i}`,
          i === 29
            ? pair(i)
            : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }, pair(i)] },
        ]),
      ),
    },
  ),
  "properties of one name with alternatives": {
    type: "object",
    allOf: many(20, (i) => object({ k: pair(i) })),
  },
  "the same through definitions": object(
    {
      a: { allOf: many(20, (i) => ({ $ref: `#/$defs/d${i}` })) },
      b: { allOf: many(20, (i) => ({ $ref: `#/$defs/d${i}` })) },
    },
    { $defs: fromEntries(many(20, (i) => [`d${i}`, object({ k: pair(i) })])) },
  ),
  "many wide unions of literals": {
    type: "object",
    allOf: many(4, (i) => object({ k: { enum: many(201, (j) => `v${i + j}`) } })),
  },
  "20,000 literals": object({ v: { enum: many(20_000, (i) => `value-${i}`) } }),
  "10,000 properties": object(fromEntries(many(10_000, (i) => [`property${i}`, { type: "string" }]))),
  "10,000 required names": { type: "object", required: many(10_000, (i) => `name${i}`) },
  "1,000 levels of objects": nest(1_000, (inner) => object({ d: inner })),
  "1,000 levels of arrays": nest(1_000, (inner) => object({ d: { type: "array", items: inner } })),
  "1,000 levels of alternatives": nest(1_000, (inner) => ({ anyOf: [inner, { type: "null" }] })),
  "a wide tree of definitions": object(fromEntries(many(200, (i) => [`p${i}`, { $ref: `#/$defs/d${i}` }])), {
    $defs: fromEntries(
      many(200, (i) => [
        `d${i}`,
        object(fromEntries(many(50, (j) => [`q${j}`, { $ref: `#/$defs/d${(i + j) % 200}` }]))),
      ]),
    ),
  }),
  "long names": object(fromEntries(many(100, (i) => [`${i}${"n".repeat(10_000)}`, { type: "string" }]))),
  "long descriptions": object(
    fromEntries(many(500, (i) => [`p${i}`, { description: "words ".repeat(3_000) }])),
  ),
  "a long tuple": object({
    v: { type: "array", prefixItems: many(5_000, () => ({ type: "string" })), minItems: 5_000 },
  }),
  "a chain of references": object(
    { v: { $ref: "#/$defs/d0" } },
    { $defs: fromEntries(many(5_000, (i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])) },
  ),
};

test.for(Object.entries(hostile))(
  verifies("stubs:bounded", "%s: at most 64 kB, which compile, with a note"),
  ([, schema]) => {
    const tool = toolOf({ inputSchema: schema, outputSchema: schema });
    for (const detail of ["name", "summary", "full"] as const) {
      expect(emitTool(tool, { detail }).text.length).toBeLessThanOrEqual(64_000);
    }
    const { text } = emitDeclarations([tool], { docs: "none" });
    expect(text.length).toBeLessThanOrEqual(65_000);
    const { notes } = emitDeclarations([tool], { docs: "full" });
    expect(notes.length).toBeGreaterThan(0);
    expect([...errorsByLine(text)]).toEqual([]);
  },
);

test(verifies("stubs:bounded", "a call of a hostile tool instantiates few types"), () => {
  for (const schema of Object.values(hostile)) {
    const { text } = emitDeclarations([toolOf({ inputSchema: schema })], { docs: "none" });
    expect(instantiations(`${text}s.t({ a0: "x", a1: "y" } as never);\nconst x = s.t;\n`)).toBeLessThan(
      50_000,
    );
  }
});

/** How many types the checker made: a measure of its work that does not depend on the machine. */
function instantiations(text: string): number {
  const file = ts.createSourceFile("/s.ts", text, ts.ScriptTarget.ES2023, true);
  const host = ts.createCompilerHost({});
  const program = ts.createProgram(
    ["/s.ts"],
    { noLib: true, noEmit: true, types: [] },
    {
      ...host,
      getSourceFile: (path) => (path === "/s.ts" ? file : undefined),
    },
  );
  program.getSemanticDiagnostics(file);
  return program.getTypeCount();
}

test(
  verifies("stubs:bounded", "a tool that loses its documentation for its size keeps its own description"),
  () => {
    const { text } = emitTool(
      toolOf({ description: "Finds things.", inputSchema: hostile["long descriptions"] as JsonObject }),
      {
        detail: "full",
      },
    );
    expect(text).toMatch(/^\/\*\* Finds things\. \*\/\ns\.t\(input\?: \{ p0\?: unknown; /);
  },
);

test(verifies("stubs:bounded", "alternatives that are left out leave the object open"), () => {
  const { text } = emitTool(toolOf({ inputSchema: { type: "object", allOf: many(20, pair) } }), {
    detail: "summary",
  });
  expect(text).toContain("& Record<string, unknown>");
});

test(verifies("stubs:bounded", "properties beyond the bound leave the object open"), () => {
  const { text } = emitTool(toolOf({ inputSchema: hostile["10,000 properties"] as JsonObject }), {
    detail: "summary",
  });
  expect(text).toContain("[k: string]: unknown");
});
