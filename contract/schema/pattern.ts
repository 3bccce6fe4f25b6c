// Owns the judgement whether a regular expression of a server may run in this process.

const MAX_PATTERN = 1_000;

/**
 * The longest text a pattern may be tried on, in UTF-16 units: `Infinity` when its time grows with the
 * length only, a number when it grows with the square, `undefined` when it must not run or does not compile.
 */
export function patternGuard(pattern: string): number | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  try {
    new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
  return /[*+}?]\)?[*+{?]|\\[1-9k]|[*+}][^()]*\)[*+{]|\|[^)]*\)[*+{]/.test(pattern) ? undefined : Infinity;
}
