// What a schema wants where a handle is: hostile schemas, references, combinations; and too many handles.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createWanted } from "../../broker/content/wanted.ts";
import { canonicalBase64, sliceBase64 } from "../../broker/content/base64.ts";
import type { JsonObject } from "../../contract/json.ts";
import { verifies } from "../requirements.ts";
import { openContent } from "./support.ts";

const text = { form: "text" };
const object = (...keys: string[]): object => ({ form: "object", keys: new Set(keys) });

test.each<[string, JsonObject, (string | number)[], unknown]>([
  ["a property", { properties: { a: { type: "string" } } }, ["a"], text],
  ["one of several types", { properties: { a: { type: ["null", "string"] } } }, ["a"], text],
  [
    "a reference",
    { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } },
    ["a"],
    text,
  ],
  ["a choice", { properties: { a: { anyOf: [{ type: "number" }, { type: "string" }] } } }, ["a"], text],
  ["items", { properties: { a: { items: { type: "string" } } } }, ["a", 7], text],
  [
    "a tuple",
    { properties: { a: { prefixItems: [{ type: "object" }, { type: "string" }] } } },
    ["a", 1],
    text,
  ],
  ["other properties", { additionalProperties: { type: "string" } }, ["b"], text],
  [
    "an object",
    { properties: { a: { properties: { data: {}, mimeType: {} } } } },
    ["a"],
    object("data", "mimeType"),
  ],
  [
    "parts of an object",
    { properties: { a: { allOf: [{ properties: { data: {} } }, { properties: { type: {} } }] } } },
    ["a"],
    object("data", "type"),
  ],
  ["nothing", { properties: {} }, ["a"], undefined],
  ["an inherited name", { properties: {} }, ["constructor"], undefined],
  ["a reference elsewhere", { properties: { a: { $ref: "file:///etc/passwd" } } }, ["a"], undefined],
  ["a reference to itself", { properties: { a: { $ref: "#/properties/a" } } }, ["a"], undefined],
  [
    "parts that are none",
    { properties: { a: { anyOf: "x", allOf: [null, 7], $ref: 7, type: 7 } } },
    ["a"],
    undefined,
  ],
] as never)(verifies("content:wanted", "%s"), (_what, schema, path, wanted) => {
  expect(createWanted(schema)(path)).toEqual(wanted);
});

test(
  verifies("content:hostile", "a schema that refers to itself without end is looked at for a bounded time"),
  () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ $ref: `#/$defs/d${at}` }));
    const $defs = Object.fromEntries(
      many.map((_, at) => [`d${at}`, { anyOf: many, allOf: many, items: { anyOf: many } }]),
    );
    const wanted = createWanted({ anyOf: many, $defs });
    for (let at = 0; at < 200; at += 1) expect(wanted([0, 0, 0, at])).toBeUndefined();
  },
);

test(verifies("content:hostile", "more than a thousand handles in one call are refused"), async () => {
  await using gate = await openContent();
  const script = "const [h] = await s.image({}); return await s.store_many({ list: Array(1_001).fill(h) })";
  const { error } = await gate.run(script);
  expect(error).toMatchObject({ code: "CALL_INVALID_ARGUMENTS" });
  expect(error?.message).toContain("more than 1000 handles");
});

test(
  verifies(
    "content:unchanged",
    "base64 is canonical afterwards, and any part of it is the part of the bytes",
  ),
  () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), fc.nat(100), fc.nat(100), (bytes, offset, length) => {
        const buffer = Buffer.from(bytes);
        const data = buffer.toString("base64");
        for (const written of [
          data,
          buffer.toString("base64url"),
          data.replace(/(.{4})/g, "$1\r\n"),
          data.replace(/=+$/, ""),
        ])
          expect(canonicalBase64(written)).toBe(data);
        const start = Math.min(offset, bytes.length);
        const size = Math.min(length, bytes.length - start);
        const part = Buffer.from(sliceBase64(data, start, size), "base64");
        expect([...part]).toEqual([...bytes.slice(start, start + size)]);
      }),
      { numRuns: 500 },
    );
  },
);

test(verifies("content:hostile", "what comes out of any text is canonical base64, or nothing"), () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("A", "b", "9", "+", "/", "-", "_", "=", " ", "\n", "%", "é") }),
      (written) => {
        const data = canonicalBase64(written);
        if (data !== undefined) expect(Buffer.from(data, "base64").toString("base64")).toBe(data);
      },
    ),
    { numRuns: 2_000 },
  );
});
