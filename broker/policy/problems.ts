// Owns the sentences about a policy that cannot be used: where, and what was expected.
import type { z } from "zod";
import { isJsonObject, own } from "../../contract/json.ts";
import { quoted } from "../plain-text.ts";
import { nearestName } from "../suggest.ts";

export type ProblemPath = readonly (string | number)[];

/** Says where a policy is wrong, and how. */
export class PolicyProblem extends Error {
  readonly path: ProblemPath;
  constructor(path: ProblemPath, message: string) {
    super(message);
    this.path = path;
  }
  /** `what` completes "expected …". */
  static expected(path: ProblemPath, what: string): PolicyProblem {
    return new PolicyProblem(path, `expected ${what}`);
  }
}

const MAX_PROBLEMS = 5;

const KNOWN_KEYS =
  `version default defaults servers tools rules flows budgets read additive destructive unannotated trust results external
  effect cost id when unless reason from to calls rate resultBytes concurrency wallMinutes per then times run principal
  sameCall equals in glob regex min max maxBytes under host literal present not output redact tokenize name`.split(
    /\s+/,
  );

/** Parts of a policy that are designed and not yet built. Security: ignoring one would look like protection. */
const UNSUPPORTED: readonly (readonly [path: readonly string[], sentence: string])[] = [
  [
    ["extends"],
    "layers are joined by whoever loads them; list the files there, this version does not follow extends",
  ],
  [
    ["approvals"],
    "how long an approval holds is part of each answer, and nobody answering is a refusal; remove it",
  ],
  [["output", "maxTokens"], "how much a run may log is the limit outputBytes; remove it"],
  [
    ["output", "mode"],
    "scripts see real values, and what leaves them is tokenized; a strict mode, in which scripts see tokens, is not supported",
  ],
  [["output", "strict"], "scripts see real values, and what leaves them is tokenized; remove it"],
  [["tools", "*", "result"], "result handles are not supported by this version"],
  [["tools", "*", "idempotency"], "idempotency keys are not supported by this version"],
  [["tools", "*", "onUnknown"], "this version never repeats a call whose outcome is unknown; remove it"],
];

/** Throws PolicyProblem for a section this version cannot honour, and for a name no reader would keep. */
export function refuseUnsupported(policy: unknown): void {
  refuseProto(policy);
  for (const [path, sentence] of UNSUPPORTED) visit(policy, path, [], sentence);
}

// Security: the schema reader drops members named __proto__, and a dropped condition would widen its rule.
function refuseProto(policy: unknown): void {
  const seen = new Set<object>();
  const waiting: { value: unknown; at: ProblemPath }[] = [{ value: policy, at: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, at } = next;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (Object.hasOwn(value, "__proto__")) {
      throw new PolicyProblem(
        [...at, "__proto__"],
        "this name cannot be used here; as an argument, write \\__proto__",
      );
    }
    for (const [key, member] of Object.entries(value)) {
      waiting.push({ value: member, at: [...at, Array.isArray(value) ? Number(key) : key] });
    }
  }
}

function visit(value: unknown, path: readonly string[], at: readonly string[], sentence: string): void {
  const [name, ...rest] = path;
  if (name === undefined) throw new PolicyProblem(at, `not supported: ${sentence}`);
  if (!isJsonObject(value)) return;
  for (const key of name === "*" ? Object.keys(value) : [name]) {
    if (Object.hasOwn(value, key)) visit(own(value, key), rest, [...at, key], sentence);
  }
}

/** `rules[2].when.path`; `(top)` for the policy itself. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_]\w{0,63}$/.test(String(part)))
      text += text === "" ? String(part) : `.${String(part)}`;
    else text += `[${quoted(String(part))}]`;
  }
  return text === "" ? "(top)" : text;
}

/** At most five problems, as path and expectation. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): { path: string; expected: string }[] {
  // A key written wrongly is also missed under its right name; the first says more.
  const misspelt = (issue: z.core.$ZodIssue): number => Number(issue.code === "unrecognized_keys");
  return issues
    .toSorted((a, b) => misspelt(b) - misspelt(a))
    .slice(0, MAX_PROBLEMS)
    .map((issue) => ({ path: pathText(issue.path), expected: describe(issue) }));
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => {
          const near = nearestName(key, KNOWN_KEYS);
          return `unknown key ${quoted(key)}${near === undefined ? "" : `, did you mean "${near}"?`}`;
        })
        .join(", ");
    case "invalid_type":
      return `expected ${issue.expected === "record" ? "an object" : issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `expected at least ${String(issue.minimum)}${issue.origin === "array" ? " entries" : issue.origin === "string" ? " characters" : ""}`;
    case "too_big":
      return `expected at most ${String(issue.maximum)}${issue.origin === "array" ? " entries" : issue.origin === "string" ? " characters" : ""}`;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}
