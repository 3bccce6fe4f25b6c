// Owns the sentences for values of the wrong shape, in the words of this program rather than of its libraries.
import type { z } from "zod";
import { visibleLine } from "../text/visible.ts";

const KINDS: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["null", "null"],
]);

/** Completes `path: `; for every schema that does not say it itself. */
export function ownWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${KINDS.get(issue.expected) ?? issue.expected}${found(issue.expected, issue.input)}`;
    case "invalid_value":
      return `expected ${issue.values.map((one) => JSON.stringify(one)).join(" or ")}`;
    case "unrecognized_keys":
      return `unknown key ${JSON.stringify(visibleLine(issue.keys[0] ?? "", 60))}`;
    case "too_small":
      return `expected ${amount(issue.origin, issue.inclusive === false ? "more than" : "at least", Number(issue.minimum))}`;
    case "too_big":
      return `expected ${amount(issue.origin, issue.inclusive === false ? "less than" : "at most", Number(issue.maximum))}`;
    default:
      return "expected a value of another kind";
  }
}

function found(expected: string, input: unknown): string {
  if (input === undefined) return "; it is missing";
  const kind = input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
  if (typeof input === "boolean" || (expected === "int" && typeof input === "number"))
    return `, got ${input}`;
  return `, got ${KINDS.get(kind) ?? kind}`;
}

function amount(origin: string, bound: string, count: number): string {
  if (origin === "string")
    return count === 1 && bound === "at least"
      ? "a text that is not empty"
      : `a text of ${bound} ${count} characters`;
  if (origin === "array") return `a list of ${bound} ${count} ${count === 1 ? "entry" : "entries"}`;
  return `a number that is ${bound} ${count}`;
}
