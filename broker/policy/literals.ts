// Owns the set of constants of a script, against which the matcher `literal` judges arguments by value.
import type { JsonValue } from "../../contract/json.ts";
import { isJsonObject } from "../../contract/json.ts";

type Primitive = null | boolean | number | string;

/** Values a person saw when the script was approved. */
export interface LiteralSet {
  has(value: Primitive): boolean;
  readonly size: number;
}

const MAX_LITERALS = 100_000;

/**
 * Collects the leaves and property names of the constants of a script. Give the names of object literals too: a
 * computed property name carries data like a value does. Past 100 000 constants the rest counts as computed.
 *
 * Security: when the author of the script had read untrusted text, its constants prove nothing: then leave
 * `CallFacts.literals` undefined.
 */
export function collectLiterals(constants: Iterable<JsonValue>): LiteralSet {
  const set = new Set<Primitive>();
  const waiting = [...constants];
  for (let value = waiting.pop(); value !== undefined && set.size < MAX_LITERALS; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) set.add(value);
    else {
      if (isJsonObject(value)) for (const name of Object.keys(value)) set.add(name);
      for (const member of Object.values(value) as JsonValue[]) waiting.push(member);
    }
  }
  return { has: (value) => set.has(value), size: set.size };
}

/** True when every leaf and every property name inside the value is a constant. */
export function isLiteral(literals: LiteralSet, value: JsonValue): boolean {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) {
      if (!literals.has(next)) return false;
      continue;
    }
    if (isJsonObject(next) && !Object.keys(next).every((name) => literals.has(name))) return false;
    for (const member of Object.values(next) as JsonValue[]) waiting.push(member);
  }
  return true;
}
