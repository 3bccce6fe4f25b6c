import { dereference, validate, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../contract/json.ts";
import { degradeInputSchema, degradeSchema, type Dialect } from "../../contract/schema/degrade.ts";
import { verifies } from "../requirements.ts";
import { wellFormed } from "../stubs/emit-arbitrary.ts";
import { allCases } from "../stubs/emit-data.ts";

const DRAFTS: Readonly<Record<Dialect, SchemaDraft>> = {
  "draft-04": "4",
  "draft-07": "7",
  "2019-09": "2019-09",
  "2020-12": "2020-12",
};

function accepts(schema: JsonObject, value: JsonValue, degrade = degradeSchema): boolean {
  const degraded = degrade(schema);
  const root = degraded.schema as Schema;
  return validate(value, root, DRAFTS[degraded.dialect], dereference(root)).valid;
}

const schemaOf = (of: { inputSchema?: JsonObject; outputSchema?: JsonObject }): JsonObject =>
  (of.inputSchema ?? of.outputSchema) as JsonObject;

test(verifies("schema:wider", "every value a hand-made schema accepts passes its degraded form"), () => {
  const refused = allCases.flatMap((one) =>
    [...one.valid, ...(one.openValid ?? [])]
      .filter((value) => !accepts(schemaOf(one), value))
      .map((value) => `${one.id}: ${JSON.stringify(value)}`),
  );
  expect(refused).toEqual([]);
});

test(verifies("schema:equal", "every value a hand-made schema refuses fails its degraded form"), () => {
  const untyped = new Set(["no-type", "missing-type-properties", "root-is-a-choice"]);
  const passed = allCases
    .filter(({ id }) => !untyped.has(id))
    .flatMap((one) =>
      one.invalid
        .filter(({ value }) => accepts(schemaOf(one), value))
        .map(({ value }) => `${one.id}: ${JSON.stringify(value).slice(0, 200)}`),
    );
  expect(passed).toEqual([]);
});

test(verifies("schema:equal", "a case that names its degraded form is degraded to that"), () => {
  const differing = allCases.flatMap((one) => {
    const { degradesTo } = one;
    if (degradesTo === undefined) return [];
    const values = [...one.valid, ...(one.openValid ?? []), ...one.invalid.map(({ value }) => value)];
    return values
      .filter((value) => accepts(schemaOf(one), value) !== accepts(degradesTo, value))
      .map((value) => `${one.id}: ${JSON.stringify(value)}`);
  });
  expect(differing).toEqual([]);
});

test(verifies("schema:pure", "degrading twice changes nothing, and the source stays as it was"), () => {
  for (const one of allCases) {
    const source = schemaOf(one);
    const before = JSON.stringify(source);
    const first = degradeSchema(deepFreeze(structuredClone(source)));
    const again = degradeSchema({ ...first.schema, ...dialectMark(first.dialect) });
    expect(JSON.stringify(source)).toBe(before);
    expect(again.notes, one.id).toEqual([]);
  }
});

function dialectMark(dialect: Dialect): JsonObject {
  const uris: Readonly<Record<Dialect, string>> = {
    "draft-04": "http://json-schema.org/draft-04/schema#",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
  };
  return { $schema: uris[dialect] };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Schemas as a careless or hostile server could send them: real keywords with any value, and references. */
const anySchema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(
      null,
      true,
      false,
      0,
      -1,
      2.5,
      "",
      "string",
      "object",
      "any",
      "(a+)+$",
      "^a*a*$",
      "[",
      [],
    ),
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        "a",
        "b",
        "__proto__",
        "constructor",
        "(a|a)*",
        "$id",
        "$ref",
        "enum",
        "\ud800",
        "%",
        "é",
      ),
      tie("schema"),
      {
        maxKeys: 3,
      },
    ),
    fc.constantFrom<JsonValue>(["a"], ["a", 1], ["string", "null"]),
  ),
  schema: fc.dictionary(
    fc.constantFrom(
      ...[
        "$ref",
        "$id",
        "$anchor",
        "$defs",
        "definitions",
        "type",
        "properties",
        "required",
        "additionalProperties",
      ],
      ...[
        "patternProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
      ],
      ...[
        "enum",
        "const",
        "pattern",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "uniqueItems",
        "dependentSchemas",
      ],
      ...[
        "dependencies",
        "propertyNames",
        "contains",
        "unevaluatedProperties",
        "nullable",
        "default",
        "format",
      ],
      ...["__absolute_uri__", "__absolute_ref__", "x-thing"],
    ),
    fc.oneof(
      tie("value"),
      fc.constantFrom<JsonValue>(
        "#",
        "#/$defs/a",
        "#/$defs/b",
        "#/properties/a",
        "#a",
        "#/allOf/0",
        "https://x.invalid/",
      ),
    ),
    { maxKeys: 5 },
  ) as fc.Arbitrary<JsonObject>,
})).schema;

test(
  verifies(["schema:pure", "schema:cycles"], "any schema whatever is degraded to one a validator can run"),
  () => {
    fc.assert(
      fc.property(anySchema, fc.jsonValue({ maxDepth: 2 }), (schema, value) => {
        const before = JSON.stringify(schema);
        const plain = JSON.parse(before) as JsonObject;
        for (const instance of [value as JsonValue, {}, { a: { b: [] } }, [], "aaaa", 1]) {
          expect(typeof accepts(plain, instance)).toBe("boolean");
        }
        expect(JSON.stringify(plain)).toBe(before);
      }),
      { numRuns: 3_000 },
    );
  },
);

const instance: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>("x", "yy", "", "a", 0, 1, -2.5, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "kind", "constructor", "other"), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

test(verifies("schema:wider", "whatever a random schema accepts passes its degraded form"), () => {
  fc.assert(
    fc.property(wellFormed, fc.array(instance, { minLength: 10, maxLength: 10 }), (generated, values) => {
      const schema = JSON.parse(JSON.stringify(generated)) as JsonObject;
      for (const value of [{}, { a: 1 }, { a: "x", b: "x" }, ...values]) {
        if (sourceAccepts(schema, value)) expect(accepts(schema, value), JSON.stringify(value)).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

/** Whether a validator accepts a value under the schema as it was sent; false where it cannot tell. */
function sourceAccepts(schema: JsonObject, value: JsonValue): boolean {
  try {
    const root = structuredClone(schema) as Schema;
    return validate(value, root, "2020-12", dereference(root)).valid;
  } catch {
    return false;
  }
}

test(verifies("schema:local", "notes name the references that were dropped"), () => {
  const { schema, notes } = degradeSchema({
    properties: {
      a: { $ref: "file:///tmp/x" },
      b: { $ref: "https://h.invalid/y#/z" },
      c: { $dynamicRef: "#q" },
    },
  });
  expect(JSON.stringify(schema)).not.toContain("$ref");
  expect(notes.length).toBe(3);
  for (const name of ["file:///tmp/x", "https://h.invalid/y#/z", "$dynamicRef"]) {
    expect(notes.some((note) => note.includes(name))).toBe(true);
  }
});

test(verifies("schema:dialect", "the dialect follows $schema"), () => {
  const dialects = [
    undefined,
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema",
    "https://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://example.invalid/own",
  ].map((uri) => degradeSchema(uri === undefined ? {} : { $schema: uri }));
  expect(dialects.map(({ dialect }) => dialect)).toEqual([
    ...["2020-12", "draft-04", "draft-07", "draft-07", "2019-09", "2020-12", "2020-12"],
  ]);
  expect(dialects.map(({ notes }) => notes.length)).toEqual([0, 0, 0, 0, 0, 0, 1]);
});

test(verifies("schema:polarity", "a part that was dropped never makes the whole refuse more"), () => {
  const bad = { pattern: "(a)\\1" };
  const wholes: readonly JsonObject[] = [
    { not: bad },
    { not: { properties: { a: bad }, required: ["a"] } },
    { if: bad, then: false },
    { oneOf: [bad, true] },
    { oneOf: [{ $ref: "https://x.invalid/" }, { type: "string" }] },
    { $defs: { d: bad }, not: { $ref: "#/$defs/d" } },
    { allOf: [{ $ref: "https://x.invalid/" }], unevaluatedProperties: false },
    { patternProperties: { "(a)\\1": true }, additionalProperties: false },
    { contains: bad, maxContains: 0 },
  ];
  for (const schema of wholes) {
    for (const value of ["b", { a: "b" }, ["b"]])
      expect(accepts(schema, value), JSON.stringify(schema)).toBe(true);
  }
});

test(
  verifies("schema:default", "a top-level argument with a default may be left out, a nested one may not"),
  () => {
    const nested = { type: "object", properties: { n: { default: 1 } }, required: ["n"] };
    const schema = { type: "object", properties: { n: { default: 1 }, o: nested }, required: ["n"] };
    expect(accepts(schema, {}, degradeInputSchema)).toBe(true);
    expect(accepts(schema, {})).toBe(false);
    expect(accepts(schema, { o: {} }, degradeInputSchema)).toBe(false);
    const choice = { properties: { n: { enum: [1, 2], default: 1 } }, required: ["n"] };
    expect(accepts(choice, {}, degradeInputSchema)).toBe(false);
  },
);

test(verifies("schema:bounded", "deep, wide, shared and circular schemas are read up to a bound"), () => {
  let deep: JsonObject = { type: "string" };
  for (let level = 0; level < 5_000; level += 1) deep = { properties: { d: deep } };
  const wide = {
    properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`p${i}`, { type: "string" }])),
  };
  const circular: Record<string, JsonValue> = { type: "object" };
  circular["properties"] = { self: circular };
  const patterns = {
    properties: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`p${i}`, { pattern: `^(a|b){${i}}$` }]),
    ),
  };
  const chain = {
    $defs: Object.fromEntries(
      Array.from({ length: 15_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
    ),
    $ref: "#/$defs/d0",
  };
  for (const schema of [deep, wide, circular, patterns, chain]) {
    const { notes } = degradeSchema(schema);
    expect(notes.length).toBeGreaterThan(0);
    expect(notes.length).toBeLessThanOrEqual(25);
  }
});

test(verifies("schema:bounded", "items of long arrays are not compared with each other"), () => {
  expect(accepts({ uniqueItems: true }, [1, 1])).toBe(false);
  expect(
    accepts(
      { uniqueItems: true },
      Array.from({ length: 5_000 }, () => 1),
    ),
  ).toBe(true);
});

test(verifies("schema:notes", "notes are one showable line each"), () => {
  const nasty = "\u202e*/\n\u0000\u200b".repeat(40);
  const { notes } = degradeSchema({ properties: { [nasty]: { $ref: nasty, type: nasty } }, $schema: nasty });
  expect(notes.length).toBe(3);
  for (const note of notes) {
    expect(note).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
    expect(note.length).toBeLessThan(400);
  }
});
