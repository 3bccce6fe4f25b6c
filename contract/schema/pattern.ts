// Owns the judgement whether a regular expression of a server may run in this process.
import { automatonOf, isAnchored } from "./pattern-automaton.ts";
import { growthOf } from "./pattern-growth.ts";
import { parsePattern } from "./pattern-syntax.ts";

const MAX_PATTERN = 1_000;
const QUADRATIC_TEXT = 256;

/**
 * The longest text a pattern may be tried on, in characters: `Infinity` when its time grows with the
 * length only, 256 when it grows with the square, `undefined` when it must not run or does not compile.
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
  const power = automaton === undefined ? undefined : growthOf(automaton);
  if (power === undefined || power > 2) return undefined;
  return power === 2 ? QUADRATIC_TEXT : Infinity;
}
