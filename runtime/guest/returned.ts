// Owns how the value a script returns is written: a string as it is, data as JSON, the rest as console.log writes it.
import {
  append,
  ArrayIsArray,
  ArraySlice,
  BigIntToString,
  ErrorIsError,
  JSONStringify,
  MapForEach,
  MapSize,
  ObjectGetPrototypeOf,
  safeList,
  SetForEach,
  SetSize,
} from "./primordials.ts";

const plain = ObjectGetPrototypeOf({});

/** Runs the script's own getters and `toJSON`; they are under its CPU limit like any of its code. */
export function writeReturned(value: unknown, format: (value: unknown) => string): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return format(value);
  try {
    return JSONStringify(value, (_key: string, member: unknown) => asData(member, format)) ?? format(value);
  } catch {
    // A cycle, or nesting too deep for JSON.
    return format(value);
  }
}

/** What JSON would lose. */
function asData(value: unknown, format: (value: unknown) => string): unknown {
  if (typeof value === "bigint") return `${BigIntToString(value)}n`;
  if (typeof value !== "object" || value === null) return value;
  if (ArrayIsArray(value)) return value;
  const prototype = ObjectGetPrototypeOf(value);
  if (prototype === null || prototype === plain) return value;
  if (isMap(value)) {
    const entries = safeList<unknown>();
    MapForEach(value, (member, key) => append(entries, [key, member]));
    return ArraySlice(entries);
  }
  if (isSet(value)) {
    const members = safeList<unknown>();
    SetForEach(value, (member) => append(members, member));
    return ArraySlice(members);
  }
  return ErrorIsError(value) ? format(value) : value;
}

function isMap(value: object): boolean {
  try {
    MapSize(value);
    return true;
  } catch {
    return false;
  }
}

function isSet(value: object): boolean {
  try {
    SetSize(value);
    return true;
  } catch {
    return false;
  }
}
