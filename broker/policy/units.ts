// Owns the written units of a policy: sizes and rates.

const SIZES: ReadonlyMap<string, number> = new Map([
  ["b", 1],
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["kib", 2 ** 10],
  ["mib", 2 ** 20],
  ["gib", 2 ** 30],
]);
const WINDOWS: ReadonlyMap<string, number> = new Map([
  ["second", 1_000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
]);

/** Calls in a sliding window of `windowMs`. */
export interface Rate {
  readonly calls: number;
  readonly windowMs: number;
}

/** Largest number of calls of one rate: each is remembered for the length of its window. */
export const MAX_RATE_CALLS: number = 10_000;

/** Bytes of `4000`, `"100MB"`, `"64KiB"`; undefined when it is no size. */
export function parseSize(value: number | string): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const parts = /^(\d{1,9}(?:\.\d{1,3})?) ?([a-z]{1,3})$/i.exec(value);
  const unit = parts === null ? undefined : SIZES.get(parts[2]!.toLowerCase());
  return unit === undefined ? undefined : Math.floor(Number(parts![1]) * unit);
}

/** `"10/hour"`; windows are second, minute, hour, day; undefined when it is no rate. */
export function parseRate(value: string): Rate | undefined {
  const parts = /^(\d{1,5}) ?\/ ?([a-z]{1,6})$/.exec(value);
  const windowMs = parts === null ? undefined : WINDOWS.get(parts[2]!);
  const calls = Number(parts?.[1]);
  return windowMs === undefined || calls > MAX_RATE_CALLS ? undefined : { calls, windowMs };
}
