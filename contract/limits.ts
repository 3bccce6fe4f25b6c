// Owns the hard bounds of one run and their defaults.
import { CallgateError } from "./error.ts";

/** Hard bounds of one run. Every one has a default and is reported in `usage`. */
export interface RunLimits {
  /** Wall time from start to end, ms. @defaultValue 60 000 */
  readonly wallMs: number;
  /** CPU time in the isolate, waits for tools excluded, ms. @defaultValue 10 000 */
  readonly cpuMs: number;
  /** V8 heap of the isolate, MB. @defaultValue 64 */
  readonly memoryMb: number;
  /** Calls in total. @defaultValue 10 000 */
  readonly calls: number;
  /** Calls at work at one time; more wait, none fail. Those that wait for a person do not count. @defaultValue 32 */
  readonly callsInFlight: number;
  /** One call, approval excluded, ms. @defaultValue 60 000 */
  readonly callTimeoutMs: number;
  /** JSON text of one call's arguments, bytes. @defaultValue 1 MiB */
  readonly argumentBytes: number;
  /** JSON text of one call's result, bytes. @defaultValue 8 MiB */
  readonly resultBytes: number;
  /** Logged text returned; more is cut in the middle, bytes. @defaultValue 64 KiB */
  readonly outputBytes: number;
  /** Logged text in total; more ends the run, bytes. @defaultValue 8 MiB */
  readonly logBytes: number;
  /** The script's source, bytes. @defaultValue 256 KiB */
  readonly scriptBytes: number;
  /** Binary content kept for handles, and of it what is on its way to tools at one time, bytes. @defaultValue 64 MiB */
  readonly contentBytes: number;
  /** Binary content a script emits in total; more throws in the script, bytes. @defaultValue 16 MiB */
  readonly emitBytes: number;
  /** Timers started in total; more throw in the script. @defaultValue 10 000 */
  readonly timers: number;
}

export const DEFAULT_LIMITS: RunLimits = {
  wallMs: 60_000,
  cpuMs: 10_000,
  memoryMb: 64,
  calls: 10_000,
  callsInFlight: 32,
  callTimeoutMs: 60_000,
  argumentBytes: 1 << 20,
  resultBytes: 8 << 20,
  outputBytes: 64 << 10,
  logBytes: 8 << 20,
  scriptBytes: 256 << 10,
  contentBytes: 64 << 20,
  emitBytes: 16 << 20,
  timers: 10_000,
};

/** What no limit may go below: less could not run anything. */
const LEAST: Readonly<Record<keyof RunLimits, number>> = {
  wallMs: 1,
  cpuMs: 1,
  memoryMb: 16,
  calls: 0,
  callsInFlight: 1,
  callTimeoutMs: 1,
  argumentBytes: 2,
  resultBytes: 2,
  outputBytes: 64,
  logBytes: 64,
  scriptBytes: 1,
  contentBytes: 0,
  emitBytes: 0,
  timers: 0,
};

/** Security: what crosses to a worker in one frame, with every character escaped, must fit into the frame. */
const MOST_TEXT_BYTES = 10 << 20;
const MOST: Readonly<Partial<Record<keyof RunLimits, number>>> = {
  memoryMb: 4_096,
  calls: 1_000_000,
  callsInFlight: 10_000,
  argumentBytes: MOST_TEXT_BYTES,
  resultBytes: MOST_TEXT_BYTES,
  outputBytes: MOST_TEXT_BYTES,
  logBytes: MOST_TEXT_BYTES,
  scriptBytes: MOST_TEXT_BYTES,
  // As base64 in one text: below what V8 can hold, and below what one frame can.
  contentBytes: 256 << 20,
  emitBytes: 32 << 20,
  timers: 1_000_000,
};
const MOST_MS = 2 ** 31 - 1;

/** `base` with the limits of `value`. Throws CONFIG_INVALID naming an unknown limit or a value that is none. */
export function parseLimits(value: unknown, base: RunLimits = DEFAULT_LIMITS): RunLimits {
  if (value === undefined) return base;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CallgateError("CONFIG_INVALID", "limits: expected an object");
  }
  const limits: Record<string, number> = { ...base };
  for (const [key, given] of Object.entries(value as Record<string, unknown>)) {
    if (given === undefined) continue;
    if (!Object.hasOwn(LEAST, key)) {
      const known = Object.keys(LEAST).join(", ");
      throw new CallgateError(
        "CONFIG_INVALID",
        `limits.${key.slice(0, 80)}: no such limit; there are ${known}`,
      );
    }
    const least = LEAST[key as keyof RunLimits];
    const most = MOST[key as keyof RunLimits] ?? MOST_MS;
    if (typeof given !== "number" || !Number.isSafeInteger(given) || given < least || given > most) {
      throw new CallgateError(
        "CONFIG_INVALID",
        `limits.${key}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(given)?.slice(0, 40)}`,
      );
    }
    limits[key] = given;
  }
  return limits as unknown as RunLimits;
}
