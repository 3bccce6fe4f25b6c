// Owns limits as people write them: `wallMs=10s`, `memoryMb=128`, `outputBytes=64kb`.
import { DEFAULT_LIMITS, type RunLimits } from "../index.ts";
import { nearest } from "./text/nearest.ts";
import { visibleLine } from "./text/visible.ts";

const KEYS = Object.keys(DEFAULT_LIMITS) as readonly (keyof RunLimits)[];
const TIMES: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000],
]);
const SIZES: ReadonlyMap<string, number> = new Map([
  ["b", 1],
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["kib", 2 ** 10],
  ["mib", 2 ** 20],
  ["gib", 2 ** 30],
]);

/** Units a limit takes, and the number its plain values count in. */
function unitsOf(key: keyof RunLimits): {
  readonly units: ReadonlyMap<string, number>;
  readonly base: number;
} {
  if (key.endsWith("Ms")) return { units: TIMES, base: 1 };
  if (key.endsWith("Bytes")) return { units: SIZES, base: 1 };
  // A heap is counted in MiB, whichever way it is written.
  if (key === "memoryMb")
    return { units: new Map([...SIZES, ["mb", 2 ** 20], ["gb", 2 ** 30]]), base: 2 ** 20 };
  return { units: new Map(), base: 1 };
}

/** What is wrong with a limit, in words; the caller knows where it was written. */
export class LimitProblem extends Error {}

/** Throws LimitProblem for a name that is no limit. */
export function limitKey(name: string): keyof RunLimits {
  const key = KEYS.find((known) => known === name);
  if (key !== undefined) return key;
  const near = nearest(name, KEYS);
  const hint = near === undefined ? `limits are ${KEYS.join(", ")}` : `did you mean ${near}?`;
  throw new LimitProblem(`there is no limit ${visibleLine(name, 40)}; ${hint}`);
}

/** A number, or a text with a unit where the limit has one. Throws LimitProblem. */
export function limitValue(key: keyof RunLimits, written: unknown): number {
  const { units, base } = unitsOf(key);
  const expected = `expected ${expectation(key)}, got ${visibleLine(JSON.stringify(written) ?? "nothing", 40)}`;
  if (typeof written !== "number" && typeof written !== "string") throw new LimitProblem(expected);
  const parts = /^(\d{1,21}(?:\.\d{1,3})?) ?([a-z]*)$/i.exec(String(written));
  if (parts === null) throw new LimitProblem(expected);
  const unit = (parts[2] ?? "").toLowerCase();
  const factor = unit === "" ? base : units.get(unit);
  if (factor === undefined) throw new LimitProblem(expected);
  const value = (Number(parts[1]) * factor) / base;
  if (!Number.isInteger(value) && unit === "") throw new LimitProblem(expected);
  // The gate knows how much is too much, and says so.
  return Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER);
}

function expectation(key: keyof RunLimits): string {
  if (key.endsWith("Ms")) return 'milliseconds or a time such as "10s"';
  if (key.endsWith("Bytes")) return 'bytes or a size such as "64kb"';
  return key === "memoryMb" ? 'megabytes or a size such as "128mb"' : "a whole number";
}

/** Reads `key=value`. Throws LimitProblem. */
export function parseLimit(text: string): readonly [keyof RunLimits, number] {
  const at = text.indexOf("=");
  if (at <= 0) throw new LimitProblem(`expected name=value such as wallMs=10s, got ${visibleLine(text, 40)}`);
  const key = limitKey(text.slice(0, at).trim());
  try {
    return [key, limitValue(key, text.slice(at + 1).trim())];
  } catch (error) {
    throw error instanceof LimitProblem ? new LimitProblem(`${key}: ${error.message}`) : error;
  }
}
