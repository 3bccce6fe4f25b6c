// Owns the description of a thrown value as bounded text; the value may be a hostile Proxy.
import {
  ErrorCtor,
  ObjectCreate,
  ReflectApply,
  StringCtor,
  StringIndexOf,
  StringSlice,
} from "./primordials.ts";
import { toolErrorFacts } from "./tool-error.ts";

const MESSAGE_UNITS = 8_000;
const STACK_UNITS = 8_000;
const NAME_UNITS = 200;

function text(read: () => unknown, limit: number): string {
  try {
    const value = read();
    return typeof value === "string" ? StringSlice(value, 0, limit) : "";
  } catch {
    return "";
  }
}

/** A null-prototype record for JSONStringify: name, message, stack, and the call of a genuine ToolError. */
export function describeThrown(thrown: unknown, format: (value: unknown) => string): object {
  const record = ObjectCreate(null);
  const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
  const error = thrown as { name?: unknown; message?: unknown; stack?: unknown };
  const stack = isObject ? text(() => error.stack, STACK_UNITS) : "";
  record["name"] = isObject ? text(() => error.name, NAME_UNITS) : "";
  record["stack"] = stack;
  const facts = toolErrorFacts(thrown);
  if (facts !== undefined) {
    const call = ObjectCreate(null);
    call["code"] = facts.code;
    call["server"] = facts.server;
    call["tool"] = facts.tool;
    record["call"] = call;
    record["message"] = StringSlice(facts.message, 0, MESSAGE_UNITS);
    return record;
  }
  const isError =
    isObject && stack !== "" && (StringIndexOf(stack, "\n") >= 0 || thrown instanceof ErrorCtor);
  record["message"] = isError
    ? text(() => error.message, MESSAGE_UNITS)
    : text(() => ReflectApply(StringCtor, undefined, [format(thrown)]), MESSAGE_UNITS);
  return record;
}
