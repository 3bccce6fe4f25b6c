import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../../broker/json-text.ts";
import { verifies } from "../requirements.ts";
import { propertyRuns, propertyTimeout } from "./policy/support.ts";

test(
  verifies("validate:json", "any JSON value reads back as itself"),
  () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: Math.min(propertyRuns, 20_000) },
    );
  },
  propertyTimeout,
);

test.each([
  ['{"a":1,"a":1}', 'has the property "a" twice'],
  ['{"a":1,"\\u0061":2}', 'has the property "a" twice'],
  ['{"x":[{"b" : 1 ,\n"b"\t:2}]}', 'has the property "b" twice'],
  ['{"__proto__":1,"__proto__":2}', 'has the property "__proto__" twice'],
  ['{"a":1e999}', "has a number too large for a double"],
  [`{"a":-${"9".repeat(400)}}`, "has a number too large for a double"],
  [`${"[".repeat(501)}${"]".repeat(501)}`, "is nested more than 500 deep"],
  [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "is nested more than 500 deep"],
  ["{", "not JSON"],
  ["", "not JSON"],
  ["{a:1}", "not JSON"],
  ["NaN", "not JSON"],
  ['{"a":1}x', "not JSON"],
])(verifies("validate:json", "refused: %s"), (text, message) => {
  expect(readJson(text)).toEqual({ ok: false, message });
});

test.each([
  '{"a":"\\"a\\":"}',
  '[{"a":1},{"a":2}]',
  '{"a":{"a":1},"b":"a"}',
  '{"a":["a","a"],"":{"":1}}',
  '{"e":true,"E":-1.5e-3}',
])(verifies("validate:json", "names that only look repeated are fine: %s"), (text) => {
  expect(readJson(text).ok).toBe(true);
});

test(verifies("validate:json", "__proto__ stays an own property and touches no prototype"), () => {
  const reading = readJson('{"__proto__":{"polluted":true}}');
  expect(reading.ok && Object.hasOwn(reading.value as object, "__proto__")).toBe(true);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
