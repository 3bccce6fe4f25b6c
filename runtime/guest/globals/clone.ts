// Owns structuredClone.
import {
  ArrayBufferByteLength,
  ArrayBufferCtor,
  ArrayBufferTransfer,
  ArrayCtor,
  ArrayIsArray,
  DataViewByteLength,
  DataViewByteOffset,
  DataViewBuffer,
  DataViewCtor,
  DateCtor,
  DateGetTime,
  ErrorIsError,
  MapCtor,
  MapForEach,
  MapSet,
  ObjectCreate,
  ObjectCtor,
  ObjectDefineProperty,
  ObjectHasOwnProperty,
  ObjectKeys,
  ObjectPrototype,
  ReflectConstruct,
  RegExpCtor,
  RegExpFlags,
  RegExpSource,
  SafeMap,
  SetAdd,
  SetCtor,
  SetForEach,
  TypedArrayBuffer,
  TypedArrayByteOffset,
  TypedArrayLength,
  TypedArrayName,
  TypedArraySet,
  Uint8ArrayCtor,
  errorCtorOf,
  typedArrayCtorOf,
} from "../primordials.ts";
import { newDOMException } from "./dom-exception.ts";
import { findKind } from "./inspect-kinds.ts";
import { isProxy } from "./proxy.ts";
import { chainData, className, ownData, prototypeOf } from "./reflect.ts";
import { cutText } from "./text-limits.ts";

type Copy = (value: unknown) => unknown;
type Memory = SafeMap<object, object>;

function refuse(what: string): Error {
  return newDOMException(`${what} could not be cloned`, "DataCloneError");
}

/** A deep copy by the structured-clone algorithm. Throws DataCloneError for functions, symbols, proxies and promises. */
export function structuredClone(value: unknown, options?: { readonly transfer?: unknown }): unknown {
  const memory: Memory = new SafeMap();
  const transfer = options?.transfer;
  if (transfer !== undefined) transferAll(transfer, memory);
  const copy: Copy = (item) => {
    if (typeof item === "symbol") throw refuse("A symbol");
    if (typeof item === "function") throw refuse("A function");
    if (typeof item !== "object" || item === null) return item;
    return memory.get(item) ?? copyObject(item, copy, memory);
  };
  return copy(value);
}

function transferAll(transfer: unknown, memory: Memory): void {
  if (!ArrayIsArray(transfer)) throw refuse("A list of transfers that is no array");
  for (let i = 0; i < transfer.length; i++) {
    const buffer = transfer[i] as object;
    try {
      ArrayBufferByteLength(buffer);
    } catch {
      throw refuse("Only an ArrayBuffer can be transferred: the value");
    }
    if (memory.has(buffer)) throw refuse("An ArrayBuffer that is transferred twice");
    memory.set(buffer, ArrayBufferTransfer(buffer));
  }
}

function copyObject(value: object, copy: Copy, memory: Memory): object {
  if (isProxy(value)) throw refuse("A Proxy");
  if (ArrayIsArray(value)) {
    const out = new ArrayCtor(value.length);
    memory.set(value, out);
    copyProperties(value, out, copy);
    return out;
  }
  if (ErrorIsError(value)) return copyError(value, copy, memory);
  const prototype = prototypeOf(value);
  if (prototype !== ObjectPrototype && prototype !== null) {
    const built = copyBuiltIn(value, copy, memory);
    if (built !== undefined) return built;
  }
  const out = ObjectCreate(ObjectPrototype);
  memory.set(value, out);
  copyProperties(value, out, copy);
  return out;
}

function copyProperties(value: object, out: object, copy: Copy): void {
  const keys = ObjectKeys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    // A getter that ran before may have removed it.
    if (!ObjectHasOwnProperty(value, key)) continue;
    const item = copy((value as Record<string, unknown>)[key]);
    ObjectDefineProperty(out, key, {
      __proto__: null,
      value: item,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

function copyError(value: object, copy: Copy, memory: Memory): object {
  const name = chainData(value, "name");
  const message = ownData(value, "message");
  const out = ReflectConstruct(errorCtorOf(typeof name === "string" ? name : ""), []);
  memory.set(value, out);
  const set = (key: string, item: unknown): void => {
    ObjectDefineProperty(out, key, { __proto__: null, value: item, writable: true, configurable: true });
  };
  if (typeof message === "string") set("message", message);
  const stack = (value as { readonly stack?: unknown }).stack;
  if (typeof stack === "string") set("stack", stack);
  if (ObjectHasOwnProperty(value, "cause")) set("cause", copy((value as { readonly cause?: unknown }).cause));
  return out;
}

function copyBuffer(buffer: object, memory: Memory): ArrayBuffer {
  const known = memory.get(buffer);
  if (known !== undefined) return known as ArrayBuffer;
  const out = new ArrayBufferCtor(ArrayBufferByteLength(buffer));
  TypedArraySet(new Uint8ArrayCtor(out), new Uint8ArrayCtor(buffer as ArrayBuffer));
  memory.set(buffer, out);
  return out;
}

function copyBuiltIn(value: object, copy: Copy, memory: Memory): object | undefined {
  const kind = findKind(value);
  if (kind === undefined) return undefined;
  let out: object | undefined;
  switch (kind.clone) {
    case "map": {
      const map = new MapCtor<unknown, unknown>();
      memory.set(value, map);
      const entries = new SafeMap<unknown, unknown>();
      MapForEach(value, (item, key) => entries.set(key, item));
      entries.forEach((item, key) => void MapSet(map, copy(key), copy(item)));
      return map;
    }
    case "set": {
      const set = new SetCtor<unknown>();
      memory.set(value, set);
      const entries = new SafeMap<unknown, true>();
      SetForEach(value, (item) => entries.set(item, true));
      entries.forEach((_true, item) => void SetAdd(set, copy(item)));
      return set;
    }
    case "typed-array": {
      const buffer = copyBuffer(TypedArrayBuffer(value), memory);
      const made = typedArrayCtorOf(TypedArrayName(value) as string);
      out = ReflectConstruct(made, [buffer, TypedArrayByteOffset(value), TypedArrayLength(value)]);
      break;
    }
    case "data-view":
      out = new DataViewCtor(
        copyBuffer(DataViewBuffer(value), memory),
        DataViewByteOffset(value),
        DataViewByteLength(value),
      );
      break;
    case "buffer":
      return copyBuffer(value, memory);
    case "date":
      out = new DateCtor(DateGetTime(value));
      break;
    case "regexp":
      out = new RegExpCtor(RegExpSource(value), RegExpFlags(value));
      break;
    case "boxed":
      out = ObjectCtor(kind.unbox?.(value)) as object;
      break;
    default:
      throw refuse(`A ${cutText(className(value), 100)}`);
  }
  memory.set(value, out);
  return out;
}
