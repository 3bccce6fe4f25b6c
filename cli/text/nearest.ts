// Owns the guess at what a mistyped name was meant to be.

/** The known name within two edits of `given`, ignoring case; undefined when there is none. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  if (given.length > 64) return undefined;
  const ranked = known
    .map((name) => ({ name, distance: edits(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.min(2, Math.floor(name.length / 2)))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + same));
    }
    row = next;
  }
  return row[b.length] as number;
}
