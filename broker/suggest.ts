// Owns the "did you mean" guess: the nearest known name, or none.

const MAX_NAME = 64;
const MAX_KNOWN = 500;

/** The known name nearest to `name` (edit distance ≤ 2, or ≤ a third of its length), or undefined. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > MAX_NAME) return undefined;
  const bound = Math.max(Math.min(2, name.length - 1), Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = bound + 1;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > MAX_KNOWN) break;
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const found = distance(name.toLowerCase(), candidate.toLowerCase());
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

// Optimal string alignment: a swap of two neighbours, the commonest slip, costs one.
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
