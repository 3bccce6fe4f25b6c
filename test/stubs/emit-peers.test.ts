// Faults found in other generators, and reports from the field: none of them happens here.
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { emitDeclarations, emitTool } from "../../stubs/emit.ts";
import { assignNames } from "../../stubs/names.ts";
import { verifies } from "../requirements.ts";
import { named, toolOf } from "./emit-data.ts";
import { errorsByLine } from "./emit-program.ts";

const peer = (claim: string): string => verifies("stubs:peer-faults", claim);
const full = (inputSchema: JsonObject): string => emitTool(toolOf({ inputSchema }), { detail: "full" }).text;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const one = (schema: JsonObject | boolean): string => full(object({ v: schema }));

test(peer("a list of alternatives has parentheses"), () => {
  expect(one({ type: "array", items: { type: "string", enum: ["a", "b"] } })).toContain('v?: ("a" | "b")[]');
});

test(peer("anyOf beside properties keeps the properties"), () => {
  expect(
    full(object({ a: { type: "string" } }, { anyOf: [object({ b: true }), object({ c: true })] })),
  ).toContain("{ a?: string } & ({ b?: unknown } | { c?: unknown })");
});

test(peer("each description is printed once"), () => {
  const text = emitDeclarations(
    [toolOf({ description: "Tool words.", inputSchema: object({ a: { description: "Property words." } }) })],
    {
      docs: "full",
    },
  ).text;
  expect(text.match(/Tool words/g)?.length).toBe(1);
  expect(text.match(/Property words/g)?.length).toBe(1);
});

test(peer("enum goes before type"), () => {
  expect(one({ type: "string", enum: ["a"] })).toContain('v?: "a"');
});

test(peer("local references are followed, and property docs are shown"), () => {
  expect(
    full(
      object(
        { v: { $ref: "#/$defs/D", description: "words" } },
        { $defs: { D: object({ k: { type: "number" } }) } },
      ),
    ),
  ).toContain("/** words */ v?: { k?: number }");
});

test(peer("names of properties with hyphens are quoted"), () => {
  expect(full(object({ "a-b": { type: "string" } }))).toContain('"a-b"?: string');
});

test(peer("names of properties inject nothing"), () => {
  const text = emitDeclarations(
    [toolOf({ inputSchema: object({ "x: any }): any; function evil(": true, "*/ y": true }) })],
    {
      docs: "full",
    },
  ).text;
  expect([...errorsByLine(text)]).toEqual([]);
  expect(text).not.toMatch(/^function evil/m);
});

test(peer("reserved and colliding names are told apart, none is lost"), () => {
  const tools = ["get-user", "get.user", "get_user", "x", "x", "delete"].map((name) => ({
    server: "s",
    name,
    inputSchema: {},
  }));
  const { named: given, notes } = assignNames(tools);
  expect(given.map(({ identifier }) => identifier)).toEqual([
    expect.stringMatching(/^get_user_\w{6}$/),
    expect.stringMatching(/^get_user_\w{6}$/),
    ...["get_user", "x", "delete_"],
  ]);
  expect(notes.join()).toContain('"x" more than once');
});

test(peer("nested objects stay where they are, and the case of names is kept"), () => {
  expect(full(object({ outerThing: object({ inner_thing: object({ X: true }) }) }))).toBe(
    "s.t(input?: { outerThing?: { inner_thing?: { X?: unknown } } }): Promise<any>",
  );
});

test(peer("references to hosts and files are not followed"), () => {
  for (const $ref of [
    "http://127.0.0.1:9/x",
    "https://x.invalid/#/a",
    "file:///etc/hostname",
    "/etc/hostname",
    "../x.json",
  ]) {
    const { text, notes } = emitTool(toolOf({ inputSchema: object({ v: { $ref } }) }), { detail: "full" });
    expect(text).toContain("v?: unknown");
    expect(notes.length).toBe(1);
  }
});

test(peer("tsType and tsEnumNames are ignored"), () => {
  expect(one({ type: "string", tsType: "typeof import('fs')", tsEnumNames: ["A"], enum: ["a"] })).toContain(
    '{ v?: "a" }',
  );
});

test(peer("prefixItems is a tuple"), () => {
  expect(
    one({ type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 }),
  ).toContain("[number, number]");
});

test(peer("a property with only a description accepts anything"), () => {
  expect(one({ description: "words" })).toContain("v?: unknown");
});

test(peer("an anchor is followed"), () => {
  expect(full(object({ v: { $ref: "#a" } }, { $defs: { D: { $anchor: "a", type: "number" } } }))).toContain(
    "v?: number",
  );
});

test(peer("titles and $id name nothing"), () => {
  const text = full(
    object(
      { v: { type: "string", title: "Strange Name" } },
      { title: "Args", $id: "https://x.invalid/Args" },
    ),
  );
  expect(text).toBe("s.t(input?: { v?: string }): Promise<any>");
});

test(peer("one definition with different words beside it is one type"), () => {
  const D = object({ k: { type: "string" } });
  const text = full(
    object(
      { a: { $ref: "#/$defs/D", description: "x" }, b: { $ref: "#/$defs/D", description: "y" } },
      { $defs: { D } },
    ),
  );
  expect(text.match(/^type /gm)?.length).toBe(1);
});

test(peer("objects do not get index signatures that hide typing mistakes"), () => {
  expect(full(object({ a: { type: "string" } }))).not.toContain("[k: string]");
});

test(peer("bounds of lists do not become tuples"), () => {
  expect(one({ type: "array", items: { type: "number" }, minItems: 3, maxItems: 10 })).toContain(
    "v?: number[]",
  );
});

test(peer("a schema a thousand levels deep ends"), () => {
  let deep: JsonObject = { type: "string" };
  for (let level = 0; level < 1_000; level += 1) deep = object({ d: deep });
  expect(full(deep)).toContain("unknown");
});

// Reports from the field, by kind.

test(peer("a root allOf with a reference keeps both halves"), () => {
  const text = full({
    type: "object",
    allOf: [{ $ref: "#/$defs/Base" }, { properties: { title: { type: "string" } } }],
    $defs: { Base: { properties: { identifier: { type: "string" } }, required: ["identifier"] } },
  });
  expect(text).toContain("{ identifier: string; title?: string }");
});

test(peer("a recursive reference with a description beside it is one named type"), () => {
  const n = object({ not: { description: "negation", $ref: "#/$defs/n" } });
  expect(full(object({ when: { $ref: "#/$defs/n" } }, { $defs: { n } }))).toContain(
    "type n = { /** negation */ not?: n };",
  );
});

test(peer("a reference to a sibling property is followed"), () => {
  const text = full(
    object({
      state: { type: "string", maxLength: 3 },
      states: { type: "array", items: { $ref: "#/properties/state" } },
    }),
  );
  expect(text).toContain("states?: string[]");
});

test(peer("dictionaries are open, and a top-level default makes an argument optional"), () => {
  const env = { type: "object", additionalProperties: { type: "string" } };
  expect(full(object({ env, n: { type: "integer", default: 5 } }, { required: ["n"] }))).toMatch(
    /\(input\?: \{ env\?: Record<string, string>; .* n\?: number \}\)/,
  );
});

test(peer("a keyword in the place of a property is ignored with a note, the properties stay"), () => {
  const { text, notes } = emitTool(
    toolOf({ inputSchema: object({ coin: { type: "string" }, required: ["coin"] }) }),
    { detail: "full" },
  );
  expect(text).toContain("{ coin?: string }");
  expect(notes).toEqual([expect.stringContaining("required")]);
});

test(peer("boolean schemas are unknown and never"), () => {
  expect(full(object({ any: true, none: false }))).toContain("{ any?: unknown; none?: never }");
});

test(peer("one odd tool leaves the others of its server as they are"), () => {
  const odd: readonly JsonValue[] = [
    { anyOf: [{ type: "object" }, { type: "object" }] },
    null,
    "x",
    [],
    7,
    true,
  ];
  for (const inputSchema of odd) {
    const tools = [
      { server: "s", name: "odd", inputSchema },
      { server: "s", name: "fine", inputSchema: object({ a: { type: "string" } }) },
    ] as readonly ToolDefinition[];
    const { text } = emitDeclarations(named(tools), { docs: "full" });
    expect([...errorsByLine(text)]).toEqual([]);
    expect(text).toContain("function fine(input?: { a?: string })");
    expect(text).toContain("function odd(input?: Record<string, unknown>)");
  }
});

test(peer("a result schema that cannot be read is any, and its tool stays callable"), () => {
  const outputSchema = {
    $schema: "https://example.invalid/none",
    ...object({ x: { $ref: "https://example.invalid/r" } }),
  };
  expect(emitTool(toolOf({ outputSchema }), { detail: "full" }).text).toContain("Promise<{ x?: any }>");
});
