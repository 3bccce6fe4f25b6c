// Owns secrets that come into being while a gate is open: tokens, and what they are got with.
import { MIN_SECRET_LENGTH } from "./redact.ts";

/** So many that are out of use are still hidden: old tokens may be good for a while, and those before them have expired. */
const MAX_RETIRED = 200;

export interface LiveSecrets {
  /** Adds texts that must never be shown. */
  add(...values: readonly (string | undefined)[]): void;
  /** These are out of use. Security: what is in use is never pushed out by what comes and goes. */
  retire(...values: readonly (string | undefined)[]): void;
  values(): readonly string[];
  /** Grows with every change. */
  readonly version: number;
}

export function createLiveSecrets(): LiveSecrets {
  const known = new Set<string>();
  const retired = new Set<string>();
  let version = 0;
  return {
    add(...values) {
      for (const value of values) {
        if (value === undefined || value.length < MIN_SECRET_LENGTH) continue;
        retired.delete(value);
        if (known.has(value)) continue;
        known.add(value);
        version += 1;
      }
    },
    retire(...values) {
      for (const value of values) {
        if (value === undefined || !known.has(value)) continue;
        retired.delete(value);
        retired.add(value);
        const [oldest] = retired;
        if (retired.size <= MAX_RETIRED || oldest === undefined) continue;
        retired.delete(oldest);
        known.delete(oldest);
        version += 1;
      }
    },
    values: () => [...known],
    get version() {
      return version;
    },
  };
}
