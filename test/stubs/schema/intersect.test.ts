import { expect, test } from "vitest";
import { intersect } from "../../../stubs/schema/intersect.ts";
import {
  NEVER,
  OPEN_OBJECT,
  UNKNOWN,
  unionOf,
  VAGUE_OBJECT,
  widthOf,
  type ObjectNode,
  type TypeNode,
} from "../../../stubs/schema/type-tree.ts";
import { verifies } from "../../requirements.ts";

const text: TypeNode = { kind: "primitive", name: "string" };
const number: TypeNode = { kind: "primitive", name: "number" };
const is = (value: string | number): TypeNode => ({ kind: "literal", value });
const object = (name: string, type: TypeNode = text, optional = true): ObjectNode => ({
  kind: "object",
  properties: [{ name, optional, type }],
});
const pair = (left: string, right: string): TypeNode => ({
  kind: "union",
  members: [object(left), object(right)],
});
const meet = (...types: TypeNode[]): TypeNode =>
  intersect(types, { open: false, product: 8, widths: new Map() }).node;

test(verifies("stubs:composition", "what says nothing adds nothing, and never takes all"), () => {
  expect(meet(UNKNOWN, text)).toEqual(text);
  expect(meet(UNKNOWN)).toEqual(UNKNOWN);
  expect(meet(text, NEVER)).toEqual(NEVER);
  expect(meet(VAGUE_OBJECT, object("a"))).toEqual(object("a"));
  expect(meet(VAGUE_OBJECT)).toEqual(VAGUE_OBJECT);
});

test(verifies("stubs:composition", "primitives and literals become what they share"), () => {
  expect(meet(text, { kind: "union", members: [is("a"), is(1)] })).toEqual(is("a"));
  expect(
    meet({ kind: "union", members: [text, number] }, { kind: "union", members: [is("a"), number] }),
  ).toEqual({
    kind: "union",
    members: [is("a"), number],
  });
  expect(meet(text, number)).toEqual(NEVER);
});

test(verifies("stubs:composition", "objects that meet become one; a key both list is what both say"), () => {
  expect(meet(object("a"), object("b", number, false))).toEqual({
    kind: "object",
    properties: [...object("a").properties, ...object("b", number, false).properties],
  });
  expect(meet(object("a", text, false), object("a", is("x")))).toEqual(object("a", is("x"), false));
});

test(verifies("stubs:bounded", "alternatives beyond the cap are left out and the object is opened"), () => {
  const four = [pair("a", "b"), pair("c", "d"), pair("e", "f"), pair("g", "h")];
  const { node, clipped } = intersect(four, { open: false, product: 8, widths: new Map() });
  expect(clipped).toBe(true);
  expect(node).toEqual({ kind: "intersection", members: [...four.slice(0, 3), OPEN_OBJECT] });
});

test(verifies("stubs:bounded", "alternatives inside a property count, literals do not"), () => {
  expect(widthOf(object("k", pair("a", "b")), new Map())).toBe(2);
  expect(widthOf({ kind: "array", items: pair("a", "b") }, new Map())).toBe(2);
  expect(widthOf({ kind: "union", members: [is("a"), is("b"), is("c")] }, new Map())).toBe(1);
  expect(widthOf({ kind: "reference", name: "R" }, new Map([["R", 7]]))).toBe(7);
});

test(
  verifies("stubs:literals", "a union holds each member once, and a literal only beside other types"),
  () => {
    expect(unionOf([text, text])).toEqual(text);
    expect(unionOf([is("a"), text])).toEqual(text);
    expect(unionOf([is("a"), is("a"), number])).toEqual({ kind: "union", members: [is("a"), number] });
    expect(unionOf([NEVER])).toEqual(NEVER);
    expect(unionOf([text, UNKNOWN])).toEqual(UNKNOWN);
  },
);
