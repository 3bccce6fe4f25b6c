// Owns secrets that come into being while a gate is open: tokens, and what they are got with.
import { MIN_SECRET_LENGTH } from "./redact.ts";

/** As many as are remembered; tokens that old have expired. */
const MAX_SECRETS = 500;

export interface LiveSecrets {
  /** Adds texts that must never be shown. */
  add(...values: readonly (string | undefined)[]): void;
  values(): readonly string[];
  /** Grows with every addition. */
  readonly version: number;
}

export function createLiveSecrets(): LiveSecrets {
  const known = new Set<string>();
  let version = 0;
  return {
    add(...values) {
      for (const value of values) {
        if (value === undefined || value.length < MIN_SECRET_LENGTH || known.has(value)) continue;
        known.add(value);
        version += 1;
        const [oldest] = known;
        if (known.size > MAX_SECRETS && oldest !== undefined) known.delete(oldest);
      }
    },
    values: () => [...known],
    get version() {
      return version;
    },
  };
}
