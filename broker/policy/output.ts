// Owns the section `output` of a policy: which values are kept from what a model or a person reads.
import type { OutputInput, ValueKindInput } from "./schema.ts";
import { PolicyProblem, type ProblemPath } from "./problems.ts";
import { matchRegex, parseRegex, type SafeRegex } from "./regex.ts";

/** A kind of value. Without a pattern it is one of the built-in kinds. */
export interface ValueKind {
  readonly name: string;
  readonly pattern: { readonly source: string; readonly regex: SafeRegex } | undefined;
  /** `hide`: gone for good; `token`: a placeholder that tools get the value for. */
  readonly how: "hide" | "token";
}

export const BUILT_IN_KINDS: readonly string[] = ["email", "phone", "iban", "card"];
/** Hidden whatever the policy says; they may be named. */
const ALWAYS: readonly string[] = ["credentials", "secrets"];
const MAX_STEPS = 500;

/** The kinds of one layer. Throws PolicyProblem. */
export function compileOutput(input: OutputInput | undefined): readonly ValueKind[] {
  const { redact = [], tokenize = [] } = input ?? {};
  const hidden = redact.filter((kind) => typeof kind !== "string" || !ALWAYS.includes(kind));
  return [
    ...hidden.map((kind) => compileKind(kind, "hide", ["output", "redact", redact.indexOf(kind)])),
    ...tokenize.map((kind, index) => compileKind(kind, "token", ["output", "tokenize", index])),
  ];
}

/** Adds the kinds of a later layer: more is kept back, never less. Throws PolicyProblem. */
export function joinKinds(known: readonly ValueKind[], added: readonly ValueKind[]): readonly ValueKind[] {
  const kinds = new Map(known.map((kind) => [kind.name, kind]));
  for (const kind of added) {
    const other = kinds.get(kind.name);
    if (other !== undefined && other.pattern?.source !== kind.pattern?.source) {
      throw PolicyProblem.expected(["output"], `a name of its own; "${kind.name}" names another pattern`);
    }
    if (other?.how !== "hide") kinds.set(kind.name, kind);
  }
  return [...kinds.values()];
}

function compileKind(kind: string | ValueKindInput, how: ValueKind["how"], at: ProblemPath): ValueKind {
  if (typeof kind === "string") return { name: kind, pattern: undefined, how };
  const { name, regex: source } = kind;
  if (BUILT_IN_KINDS.includes(name) || ALWAYS.includes(name))
    throw PolicyProblem.expected([...at, "name"], `a name of its own; "${name}" is built in`);
  let regex: SafeRegex;
  try {
    regex = parseRegex(source);
  } catch (error) {
    throw PolicyProblem.expected([...at, "regex"], (error as Error).message);
  }
  if (regex.program.length > MAX_STEPS)
    throw PolicyProblem.expected([...at, "regex"], "a simpler pattern; it is tried on all output");
  if (matchRegex(regex, ""))
    throw PolicyProblem.expected([...at, "regex"], "a pattern that does not match the empty text");
  return { name, pattern: { source, regex }, how };
}
