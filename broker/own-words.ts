// Owns the sentences for values of the wrong shape, in words of our own: a library sets no words for the whole process.
import type { z } from "zod";
import { quoted } from "./plain-text.ts";

const KINDS: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);
const MAX_SHOWN = 20;

/** The `error` of one parse: completes `path: `. What a schema says itself goes before. */
export function ownWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${KINDS.get(issue.expected) ?? issue.expected}${found(issue.input)}`;
    case "invalid_value":
      return `expected ${issue.values
        .slice(0, MAX_SHOWN)
        .map((one) => JSON.stringify(one))
        .join(" or ")}`;
    case "invalid_union":
      return `expected a text, a number, true or false${found(issue.input)}`;
    case "invalid_format":
      return "is not written as it should be";
    case "unrecognized_keys":
      return `unknown key ${quoted(issue.keys[0] ?? "", 60)}`;
    case "too_small":
      return `expected ${amount(issue.origin, "at least", Number(issue.minimum))}`;
    case "too_big":
      return `expected ${amount(issue.origin, "at most", Number(issue.maximum))}`;
    default:
      return "expected a value of another kind";
  }
}

function found(input: unknown): string {
  if (input === undefined) return "; it is missing";
  if (input === null) return ", got null";
  const kind = Array.isArray(input) ? "array" : typeof input;
  return typeof input === "number" ? `, got ${input}` : `, got ${KINDS.get(kind) ?? kind}`;
}

function amount(origin: string, bound: string, count: number): string {
  if (origin === "string")
    return count === 1 && bound === "at least"
      ? "a text that is not empty"
      : `a text of ${bound} ${count} characters`;
  if (origin === "array") return `a list of ${bound} ${count} ${count === 1 ? "entry" : "entries"}`;
  return `a number that is ${bound} ${count}`;
}
