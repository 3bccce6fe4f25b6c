// Owns the judgement whether a regular expression of a server may run in this process.
import { automatonOf, isAnchored } from "./pattern-automaton.ts";
import { growthOf, shortestGuard } from "./pattern-growth.ts";
import { parsePattern } from "./pattern-syntax.ts";

const MAX_PATTERN = 1_000;
const QUADRATIC_TEXT = 256;
// A result can hold a hundred thousand short texts.
const MAX_STEPS = 1_000;

/**
 * The longest text a pattern may be tried on, in characters: `Infinity` when its time grows with the
 * length only, 256 when it grows with the square, a few (at most 8) when it grows faster; `undefined` when
 * it must not run at all, or does not compile.
 */
export function patternGuard(pattern: string): number | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  try {
    new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
  // Security: a backtracking engine can take for ever; only patterns shown to be harmless are kept.
  const tree = parsePattern(pattern);
  const automaton = tree === undefined ? undefined : automatonOf(tree, isAnchored(tree));
  if (automaton === undefined) return undefined;
  const power = growthOf(automaton);
  if (power === 1) return Infinity;
  return power === 2 ? QUADRATIC_TEXT : shortestGuard(automaton, MAX_STEPS);
}
