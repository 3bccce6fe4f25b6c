// Owns sets of code points as sorted ranges: enough to tell whether two parts of a pattern can meet.

export type CharSet = readonly (readonly [first: number, last: number])[];

const LAST = 0x10ffff;

export const ANY: CharSet = [[0, LAST]];

export function oneOf(code: number): CharSet {
  return [[code, code]];
}

export function range(first: number, last: number): CharSet {
  return [[first, last]];
}

export function union(sets: readonly CharSet[]): CharSet {
  const ranges = sets.flat().toSorted((left, right) => left[0] - right[0]);
  const merged: [number, number][] = [];
  for (const [first, last] of ranges) {
    const open = merged.at(-1);
    if (open !== undefined && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

export function complement(set: CharSet): CharSet {
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) result.push([next, LAST]);
  return result;
}

export function meets(left: CharSet, right: CharSet): boolean {
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const a = left[i] as readonly [number, number];
    const b = right[j] as readonly [number, number];
    if (a[1] < b[0]) i += 1;
    else if (b[1] < a[0]) j += 1;
    else return true;
  }
  return false;
}

const code = (character: string): number => character.codePointAt(0) as number;

const DIGIT = range(code("0"), code("9"));
const WORD = union([DIGIT, range(code("A"), code("Z")), range(code("a"), code("z")), oneOf(code("_"))]);
const SPACE = union([
  range(9, 13),
  ...[0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].map(oneOf),
  range(0x2000, 0x200a),
]);
export const DOT: CharSet = complement(union([10, 13, 0x2028, 0x2029].map(oneOf)));

export const CLASSES: ReadonlyMap<string, CharSet> = new Map([
  ["d", DIGIT],
  ["D", complement(DIGIT)],
  ["w", WORD],
  ["W", complement(WORD)],
  ["s", SPACE],
  ["S", complement(SPACE)],
]);
