// Owns looking at values without running any code of theirs: no getter, no trap, no method of the script is called.
import {
  ArrayPrototype,
  FunctionToString,
  ObjectGetOwnPropertyDescriptor,
  ObjectGetPrototypeOf,
  ObjectHasOwnProperty,
  ObjectPrototype,
  StringSlice,
} from "../primordials.ts";
import { withoutProxy } from "./proxy.ts";

/** Longest prototype chain that is followed. */
const MAX_CHAIN = 32;

const AsyncFunctionPrototype = ObjectGetPrototypeOf(async function () {});
const GeneratorFunctionPrototype = ObjectGetPrototypeOf(function* () {});
const AsyncGeneratorFunctionPrototype = ObjectGetPrototypeOf(async function* () {});

/** The value of an own data property; `undefined` for accessors, and for what is not there. */
export function ownData(target: object, key: PropertyKey): unknown {
  const descriptor = ObjectGetOwnPropertyDescriptor(withoutProxy(target), key);
  if (descriptor === undefined || !ObjectHasOwnProperty(descriptor, "value")) return undefined;
  return descriptor.value;
}

/** The prototype, or the prototype of its target when it is a proxy. */
export function prototypeOf(value: object): object | null {
  const prototype = ObjectGetPrototypeOf(withoutProxy(value));
  return prototype === null ? null : withoutProxy(prototype);
}

/** The value of the first data property `key` on the prototype chain; an accessor ends the search. */
export function chainData(value: object, key: PropertyKey): unknown {
  let at: object | null = withoutProxy(value);
  for (let i = 0; i < MAX_CHAIN && at !== null; i++) {
    if (ObjectHasOwnProperty(at, key)) return ownData(at, key);
    at = prototypeOf(at);
  }
  return undefined;
}

/** Calls `visit` with each prototype until it returns something. */
export function findOnChain<T>(value: object, visit: (prototype: object) => T | undefined): T | undefined {
  let at = prototypeOf(value);
  for (let i = 0; i < MAX_CHAIN && at !== null; i++) {
    const found = visit(at);
    if (found !== undefined) return found;
    at = prototypeOf(at);
  }
  return undefined;
}

/** The name of a function, when it is an ordinary text. */
export function functionName(value: object): string {
  const name = ownData(value, "name");
  return typeof name === "string" ? name : "";
}

/** The name of the class that `value` is an instance of; `""` when its prototype chain has none. */
export function className(value: object): string {
  const prototype = prototypeOf(value);
  if (prototype === ObjectPrototype) return "Object";
  if (prototype === ArrayPrototype) return "Array";
  const name = findOnChain(value, (link) => {
    const constructor = ownData(link, "constructor");
    if (typeof constructor !== "function") return undefined;
    const found = functionName(constructor);
    return found === "" ? undefined : found;
  });
  return name === undefined ? "" : name;
}

/** `[Function: f]`, `[class A extends B]` and their kin, without the brackets. */
export function functionTitle(value: object, name: string): string {
  const prototype = prototypeOf(value);
  const source = FunctionToString(value);
  if (source.length < 1 << 20 && StringSlice(source, 0, 5) === "class") {
    const parent = prototype === null || typeof prototype !== "function" ? "" : functionName(prototype);
    return `class ${name === "" ? "(anonymous)" : name}${parent === "" ? "" : ` extends ${parent}`}`;
  }
  let kind = "Function";
  if (prototype === AsyncFunctionPrototype) kind = "AsyncFunction";
  else if (prototype === GeneratorFunctionPrototype) kind = "GeneratorFunction";
  else if (prototype === AsyncGeneratorFunctionPrototype) kind = "AsyncGeneratorFunction";
  return name === "" ? `${kind} (anonymous)` : `${kind}: ${name}`;
}
