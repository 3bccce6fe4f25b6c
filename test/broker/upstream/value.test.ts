// What a script gets from a tool's answer.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { readCallResult } from "../../../broker/upstream/call-result.ts";
import { textDepth, isDeeperThan } from "../../../broker/upstream/depth.ts";
import { toCallValue } from "../../../broker/upstream/value.ts";
import { verifies } from "../../requirements.ts";

const text = (value: string): JsonObject => ({ type: "text", text: value });
const image: JsonObject = { type: "image", data: "AAAA", mimeType: "image/png" };
const valueOf = (...content: JsonObject[]): JsonValue => toCallValue({ content });

test(verifies("upstream:value", "structured content wins over any text"), () => {
  expect(toCallValue({ content: [text('{"a":1}')], structuredContent: { b: 2 } })).toEqual({ b: 2 });
  expect(toCallValue({ content: [text("x")], structuredContent: null })).toBeNull();
  expect(toCallValue({ content: [text("x")], structuredContent: [1] })).toEqual([1]);
  expect(toCallValue({ content: [text("x")], structuredContent: "" })).toBe("");
});

test(verifies("upstream:value", "text that is a JSON object or array as a whole is parsed"), () => {
  expect(valueOf(text('{"id":1}'))).toEqual({ id: 1 });
  expect(valueOf(text(" \n[1, 2]\n"))).toEqual([1, 2]);
  expect(valueOf(text("{}"))).toEqual({});
  expect(valueOf(text("\ufeff[]"))).toEqual([]);
});

test(verifies("upstream:value", "any other text stays text, numbers and literals too"), () => {
  for (const plain of [
    "1",
    "true",
    "null",
    '"quoted"',
    "",
    "hello",
    "{",
    "{a: 1}",
    "[1] and more",
    "{}{}",
    "[}",
  ]) {
    expect(valueOf(text(plain))).toBe(plain);
  }
});

test(verifies("upstream:value", "several texts are joined by line breaks, then read as one"), () => {
  expect(valueOf(text("a"), text("b"))).toBe("a\nb");
  expect(valueOf(text('{"a":'), text("1}"))).toEqual({ a: 1 });
  expect(valueOf(text("{}"), text("{}"))).toBe("{}\n{}");
});

test(verifies("upstream:value", "anything beside text gives the content blocks"), () => {
  expect(valueOf(text("see"), image)).toEqual([text("see"), image]);
  expect(valueOf(image)).toEqual([image]);
  expect(valueOf()).toEqual([]);
  expect(valueOf({ type: "text" })).toEqual([{ type: "text" }]);
  expect(valueOf({ type: "resource_link", uri: "file:///x", name: "x" })).toHaveLength(1);
});

test(verifies("upstream:value", "JSON that nests too deep to be written out again stays text"), () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(valueOf(text(deep))).toBe(deep);
  expect(() => JSON.stringify(valueOf(text(deep)))).not.toThrow();
  const allowed = "[".repeat(400) + "]".repeat(400);
  expect(JSON.stringify(valueOf(text(allowed)))).toBe(allowed);
});

test(verifies("upstream:value", "brackets inside strings do not count as depth"), () => {
  const value = { text: "[".repeat(5_000), quoted: `\\"${"{".repeat(5_000)}` };
  expect(valueOf(text(JSON.stringify(value)))).toEqual(value);
});

test(verifies("upstream:value", "huge text is passed whole"), () => {
  const huge = "x".repeat(20_000_000);
  expect(valueOf(text(huge))).toBe(huge);
  const list = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => at));
  expect(valueOf(text(list))).toHaveLength(200_000);
});

test(verifies("upstream:value", "own __proto__ keys are data and change no prototype"), () => {
  const value = valueOf(text('{"__proto__":{"polluted":true},"a":1}')) as JsonObject;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(["__proto__", "a"]);
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"a":1}');
  expect(({} as JsonObject)["polluted"]).toBeUndefined();
});

test(verifies("upstream:value", "every JSON object or array survives a trip through text"), () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.stringify(valueOf(text(json)))).toBe(json);
    }),
  );
});

test(
  verifies("upstream:value", "no result, however shaped, makes it throw or gives what JSON cannot hold"),
  () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (raw, modern) => {
        const value = toCallValue(readCallResult(raw as JsonValue, modern));
        expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(value).not.toBeUndefined();
      }),
    );
  },
);

test(verifies("upstream:value", "depth is measured without recursion and stops at the limit"), () => {
  expect(textDepth("[]", 10)).toBe(1);
  expect(textDepth('{"a":[{"b":1}]}', 10)).toBe(3);
  expect(textDepth("[".repeat(1_000_000), 10)).toBe(11);
  expect(textDepth('["\\\\", ["]"]]', 10)).toBe(2);
  expect(textDepth('"unterminated [[[', 10)).toBe(0);
  let nested: unknown = 1;
  for (let at = 0; at < 50_000; at += 1) nested = [nested];
  expect(isDeeperThan(nested, 1_000)).toBe(true);
  expect(isDeeperThan({ a: { b: 1 } }, 2)).toBe(false);
  expect(isDeeperThan({ a: { b: {} } }, 2)).toBe(true);
  expect(isDeeperThan("x", 0)).toBe(false);
});
