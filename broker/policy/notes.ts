// Owns what is said unasked of a policy: names that nothing has, which most often are misspelt.
import type { PolicyProblemFound } from "./check.ts";

const TOLD: ReadonlySet<PolicyProblemFound["kind"]> = new Set([
  "unknown-server",
  "unknown-tool",
  "unknown-argument",
  "unknown-label",
]);
const SHOWN = 10;

/** One line each, at most 10. A deny rule with a misspelt name would otherwise deny nothing in silence. */
export function policyNotes(problems: readonly PolicyProblemFound[]): readonly string[] {
  return problems
    .filter(({ kind }) => TOLD.has(kind))
    .slice(0, SHOWN)
    .map(({ place, message }) => `policy: ${place}: ${message}`);
}
