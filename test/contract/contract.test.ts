import fc from "fast-check";
import { expect, test } from "vitest";
import { CallgateError } from "../../contract/error.ts";
import { canonicalJson, type JsonValue } from "../../contract/json.ts";
import { verifies } from "../requirements.ts";

test(verifies("contract:error-brand", "an error is recognised by brand and code, not by class"), () => {
  const error = new CallgateError("DISPOSED", "gone");
  const twin = Object.assign(new Error("gone"), { code: "DISPOSED", [Symbol.for("callgate.error")]: true });
  expect(CallgateError.is(error, "DISPOSED")).toBe(true);
  expect(CallgateError.is(twin)).toBe(true);
  expect(CallgateError.is(error, "INTERNAL")).toBe(false);
  expect(CallgateError.is(new Error("gone"))).toBe(false);
});

test(verifies("contract:canonical-json", "canonical text does not depend on the order of keys"), () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const reordered = JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
        typeof member === "object" && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).toReversed())
          : member,
      ) as JsonValue;
      expect(canonicalJson(reordered)).toBe(canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue));
    }),
  );
});
