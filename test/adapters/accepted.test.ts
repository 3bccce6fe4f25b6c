// Real tool definitions, and schemas made to be difficult, in the form that the Anthropic API accepts.
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { acceptedSchema } from "../../adapters/anthropic-accepted.ts";
import { degradeInputSchema } from "../../contract/schema/degrade.ts";
import type { JsonObject } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { allCases, corpus } from "../stubs/emit-data.ts";

const ajv = new Ajv2020({ strict: false });

/** Why the API would refuse the request that holds this schema; empty when it would not. */
function refusals(schema: JsonObject): readonly string[] {
  const keys = Object.keys((schema["properties"] ?? {}) as JsonObject);
  return [
    ...(ajv.validateSchema(schema) === true ? [] : [`no schema: ${ajv.errorsText()}`]),
    ...(schema["type"] === "object" ? [] : ["no object"]),
    ...["anyOf", "oneOf", "allOf"].filter((keyword) => Object.hasOwn(schema, keyword)),
    ...keys.filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
  ];
}

const accepted = (schema: JsonObject): ReturnType<typeof acceptedSchema> =>
  acceptedSchema(degradeInputSchema(schema).schema);

test(verifies("adapters:deferred", "no definition of a real server fails a request"), () => {
  const refused = corpus.flatMap(({ server, name, inputSchema }) =>
    refusals(accepted(inputSchema).schema).map((why) => `${server}.${name}: ${why}`),
  );
  expect(refused).toEqual([]);
});

test(verifies("adapters:deferred", "no schema made to be difficult fails a request"), () => {
  const refused = allCases.flatMap(({ id, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema]
      .filter((schema) => schema !== undefined)
      .flatMap((schema) => refusals(accepted(schema).schema).map((why) => `${id}: ${why}`)),
  );
  expect(refused).toEqual([]);
});

test(
  verifies(
    "adapters:deferred",
    "each property keeps a name of its own, and all that can be are required still",
  ),
  () => {
    for (const { inputSchema } of corpus) {
      const original = degradeInputSchema(inputSchema).schema;
      const { schema, keys } = accepted(inputSchema);
      const back = ((schema["required"] ?? []) as readonly string[]).map((name) => keys.get(name) ?? name);
      expect(back).toEqual(original["required"] ?? []);
      expect(keys.size).toBe(Object.keys((schema["properties"] ?? {}) as JsonObject).length);
      expect(new Set(keys.values()).size).toBe(keys.size);
    }
  },
);
