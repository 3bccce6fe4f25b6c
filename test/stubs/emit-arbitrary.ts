// Owns random schemas that are well formed, of every keyword that types or validators look at.
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../contract/json.ts";

const key = fc.constantFrom("a", "b", "c", "kind", "to-do", "constructor", "__proto__");
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  "x",
  "yy",
  "",
  0,
  1,
  -2.5,
  true,
  false,
  null,
);
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array");
const reference = fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#/properties/a");

const record = (values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
  fc.dictionary(key, values, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;

const list = (values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.array(values, { minLength: 1, maxLength: 3 });

const { schema: anySchema, objectSchema: anyObject } = fc.letrec<{
  schema: JsonValue;
  objectSchema: JsonObject;
}>((tie) => ({
  objectSchema: fc.oneof(
    { depthSize: "small" },
    fc.record({
      type: fc.constant("object"),
      properties: record(tie("schema")),
      required: fc.uniqueArray(key, { maxLength: 1 }),
    }),
    fc.record({
      type: fc.constant("object"),
      properties: record(tie("schema")),
      additionalProperties: fc.boolean(),
    }),
    fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
    fc.record({ properties: record(tie("schema")), allOf: list(tie("objectSchema")) }),
    fc.record({
      type: fc.constant("object"),
      properties: record(tie("schema")),
      anyOf: list(tie("objectSchema")),
    }),
    fc.record({ type: fc.constant("object"), oneOf: list(tie("objectSchema")) }),
    fc.record({ properties: record(tie("schema")), dependentSchemas: record(tie("objectSchema")) }),
    fc.record({
      type: fc.constant("object"),
      patternProperties: fc.dictionary(fc.constantFrom("^a", "(x+)+$"), tie("schema"), {
        maxKeys: 1,
        noNullPrototype: true,
      }),
    }),
  ) as fc.Arbitrary<JsonObject>,
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.boolean(),
    fc.record({ type: typeName }),
    fc.record({ type: fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }) }),
    fc.record({ enum: list(scalar) }),
    fc.record({ type: typeName, enum: list(scalar) }),
    fc.record({ const: scalar }),
    fc.record({ $ref: reference }),
    fc.record({
      type: fc.constant("string"),
      minLength: fc.nat(2),
      pattern: fc.constantFrom("^x", "(y+)+$", "y*$"),
    }),
    fc.record({ type: fc.constant("number"), minimum: fc.integer({ min: -3, max: 1 }) }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({
      type: fc.constant("array"),
      prefixItems: list(tie("schema")),
      items: fc.oneof(fc.boolean(), tie("schema")),
    }),
    fc.record({ type: fc.constant("array"), prefixItems: list(tie("schema")), minItems: fc.nat(2) }),
    fc.record({ anyOf: list(tie("schema")) }),
    fc.record({ oneOf: list(tie("schema")), type: typeName }),
    fc.record({ allOf: list(tie("schema")) }),
    fc.record({ not: tie("schema") }),
    fc.record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }),
    tie("objectSchema"),
  ) as fc.Arbitrary<JsonValue>,
}));

/** An object schema with definitions that may refer to each other and to the whole. */
export const wellFormed: fc.Arbitrary<JsonObject> = fc
  .tuple(anyObject, anySchema, anySchema, anySchema)
  .map(([root, a, b, c]) => ({ ...root, $defs: { a, b, c } }));
