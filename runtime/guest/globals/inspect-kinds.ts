// Owns how built-in objects with internal slots are printed: Map, Set, Date, RegExp, buffers, promises, boxed primitives.
import {
  ArrayBufferByteLength,
  BigIntValueOf,
  BooleanValueOf,
  DataViewByteLength,
  DateGetTime,
  DateToISOString,
  MapEntries,
  MapIteratorNext,
  MapSize,
  NumberValueOf,
  RegExpFlags,
  RegExpSource,
  SafeMap,
  SetIteratorNext,
  SetSize,
  SetValues,
  StringValueOf,
  SymbolToString,
  SymbolValueOf,
  TypedArrayLength,
  append,
} from "../primordials.ts";
import { findOnChain } from "./reflect.ts";
import { bigintText, cutText, moreItems, numberText, quote } from "./text-limits.ts";

/** Elements printed of a list, map, set or typed array. */
export const MAX_ITEMS = 100;

/** How objects of one built-in prototype are printed. */
export interface Kind {
  readonly __proto__: null;
  /** Throws, or returns false, when the object only pretends: it inherits from the prototype, but has not its slots. */
  readonly test: (value: object) => unknown;
  /** The whole text when the object has no properties of its own. */
  readonly base?: (value: object, name: string) => string;
  /** Printed after the class name, unless there is a `base`. */
  readonly size?: (value: object) => number;
  /** In square brackets, its index properties being its elements. */
  readonly indexed?: boolean;
  /** How structuredClone copies it; absent when it cannot be cloned. */
  readonly clone?: "map" | "set" | "typed-array" | "data-view" | "buffer" | "date" | "regexp" | "boxed";
  readonly unbox?: (value: object) => unknown;
  readonly fill?: (value: object, entries: string[], print: (item: unknown) => string) => void;
}

const kinds = new SafeMap<object, Kind>();

/** Makes objects that inherit from `prototype` print as `kind` says. */
export function addKind(prototype: object, kind: Kind): void {
  kinds.set(prototype, kind);
}

/** The kind of `value` (no proxy), when its prototype chain names one and its slots agree. */
export function findKind(value: object): Kind | undefined {
  const kind = findOnChain(value, (prototype) => kinds.get(prototype));
  if (kind === undefined) return undefined;
  try {
    return kind.test(value) === false ? undefined : kind;
  } catch {
    return undefined;
  }
}

const MAX_BOXED = 1_000;

function fillMap(value: object, entries: string[], print: (item: unknown) => string): void {
  const iterator = MapEntries(value);
  for (let i = 0; i < MAX_ITEMS; i++) {
    const step = MapIteratorNext(iterator);
    if (step.done === true) return;
    const pair = step.value as readonly [unknown, unknown];
    append(entries, `${print(pair[0])} => ${print(pair[1])}`);
  }
  if (MapSize(value) > MAX_ITEMS) append(entries, moreItems(MapSize(value) - MAX_ITEMS));
}

function fillSet(value: object, entries: string[], print: (item: unknown) => string): void {
  const iterator = SetValues(value);
  for (let i = 0; i < MAX_ITEMS; i++) {
    const step = SetIteratorNext(iterator);
    if (step.done === true) return;
    append(entries, print(step.value));
  }
  if (SetSize(value) > MAX_ITEMS) append(entries, moreItems(SetSize(value) - MAX_ITEMS));
}

function fillTypedArray(value: object, entries: string[], print: (item: unknown) => string): void {
  const length = TypedArrayLength(value);
  for (let i = 0; i < length && i < MAX_ITEMS; i++) append(entries, print((value as Uint8Array)[i]));
  if (length > MAX_ITEMS) append(entries, moreItems(length - MAX_ITEMS));
}

function regExpText(value: object): string {
  return cutText(`/${RegExpSource(value)}/${RegExpFlags(value)}`, MAX_BOXED);
}

function dateText(value: object): string {
  const time = DateGetTime(value);
  return time === time ? DateToISOString(value) : "Invalid Date";
}

function boxed(read: (value: object) => unknown, text: (value: never) => string): Kind {
  return {
    __proto__: null,
    test: (value) => (read(value), true),
    clone: "boxed",
    unbox: read,
    base: (value, name) => `[${name}: ${text(read(value) as never)}]`,
  };
}

function opaque(text: string): Kind {
  return { __proto__: null, test: () => true, base: (_value, name) => `${name} { ${text} }` };
}

const TypedArrayPrototype: object = Object.getPrototypeOf(Uint8Array.prototype) as object;

addKind(Map.prototype, { __proto__: null, test: MapSize, size: MapSize, clone: "map", fill: fillMap });
addKind(Set.prototype, { __proto__: null, test: SetSize, size: SetSize, clone: "set", fill: fillSet });
addKind(TypedArrayPrototype, {
  __proto__: null,
  test: TypedArrayLength,
  size: TypedArrayLength,
  clone: "typed-array",
  indexed: true,
  fill: fillTypedArray,
});
addKind(Date.prototype, { __proto__: null, test: DateGetTime, clone: "date", base: dateText });
addKind(RegExp.prototype, { __proto__: null, test: RegExpSource, clone: "regexp", base: regExpText });
addKind(ArrayBuffer.prototype, {
  __proto__: null,
  test: ArrayBufferByteLength,
  clone: "buffer",
  base: (value, name) => `${name} { byteLength: ${ArrayBufferByteLength(value)} }`,
});
addKind(DataView.prototype, {
  __proto__: null,
  test: DataViewByteLength,
  clone: "data-view",
  base: (value, name) => `${name} { byteLength: ${DataViewByteLength(value)} }`,
});
// A model that prints a promise has most often forgotten to await it.
addKind(Promise.prototype, opaque("not awaited"));
addKind(WeakMap.prototype, opaque("items unknown"));
addKind(WeakSet.prototype, opaque("items unknown"));
addKind(Number.prototype, boxed(NumberValueOf, numberText));
addKind(String.prototype, {
  __proto__: null,
  test: (value) => (StringValueOf(value), true),
  clone: "boxed",
  unbox: StringValueOf,
  base: (value) => `[String: ${quote(StringValueOf(value), MAX_BOXED)}]`,
  size: (value) => StringValueOf(value).length,
  indexed: true,
});
addKind(
  Boolean.prototype,
  boxed(BooleanValueOf, (value: boolean) => (value ? "true" : "false")),
);
addKind(
  Symbol.prototype,
  boxed(SymbolValueOf, (value: symbol) => cutText(SymbolToString(value), MAX_BOXED)),
);
addKind(BigInt.prototype, boxed(BigIntValueOf, bigintText));
