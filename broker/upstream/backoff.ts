// Owns when a server that failed may be started again.

const FIRST_START_MS = 1_000;
const FIRST_CRASH_MS = 250;
const LONGEST_MS = 30_000;
/** A server that ran this long is healthy again. */
const HEALTHY_MS = 30_000;

export interface Backoff {
  /** ms until the next attempt is allowed; 0 when it is now. */
  remaining(now: number): number;
  startFailed(now: number): void;
  /** A server that worked has died; the first death costs no wait. */
  crashed(now: number, upSince: number): void;
  succeeded(): void;
  /** What made it fail is gone. */
  forgiven(): void;
}

export function createBackoff(): Backoff {
  let starts = 0;
  let crashes = 0;
  let until = -Infinity;
  return {
    remaining: (now) => Math.max(0, until - now),
    startFailed(now) {
      until = now + Math.min(LONGEST_MS, FIRST_START_MS * 2 ** starts);
      starts += 1;
    },
    crashed(now, upSince) {
      if (now - upSince >= HEALTHY_MS) crashes = 0;
      until = crashes === 0 ? now : now + Math.min(LONGEST_MS, FIRST_CRASH_MS * 2 ** (crashes - 1));
      crashes += 1;
    },
    succeeded() {
      starts = 0;
    },
    forgiven() {
      starts = 0;
      until = -Infinity;
    },
  };
}
