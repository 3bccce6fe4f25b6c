// Owns the limits under which hostile scripts run: small, so that each is met soon.
import type { RunLimits } from "../../index.ts";

export const OWN_LIMITS: Partial<RunLimits> = {
  wallMs: 3_000,
  cpuMs: 500,
  memoryMb: 64,
  calls: 500,
  timers: 1_000,
  logBytes: 256 << 10,
};

/** Those the large set's expectations were checked with. */
export const DATA_LIMITS: Partial<RunLimits> = {
  wallMs: 4_000,
  cpuMs: 1_000,
  memoryMb: 64,
  calls: 2_000,
  logBytes: 256 << 10,
  resultBytes: 5_000_000,
};
