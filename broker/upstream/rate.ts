// Owns how many calls one server gets in a time: so many in any span of the window, and none while it asks for quiet.
import type { Clock } from "./clock.ts";

/** At most `calls` calls in any `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly perMs: number;
}

export interface Rate {
  /** ms until a call that comes now, with `before` others in front of it, may leave. */
  wait(before: number): number;
  /** Resolves when it is the caller's turn, first come first served. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>;
  /** Nobody's turn comes for so long: the server asked for it. */
  hold(ms: number): void;
}

/** Without a limit only `hold` makes anybody wait. Callers that wait are bounded by who lets them in. */
export function createRate(limit: RateLimit | undefined, clock: Clock): Rate {
  /** When the last calls left, oldest first; `calls` of them at most. */
  const left: number[] = [];
  let quietUntil = -Infinity;
  const waiting = new Set<() => void>();
  let stopTimer: (() => void) | undefined;

  /** When the caller at `place` in the line may leave, as seen at `now`; 0 is the first. */
  function turnOf(place: number, now: number): number {
    const earliest = Math.max(now, quietUntil);
    if (limit === undefined) return earliest;
    // Each round of the window lets `calls` leave, as those of the round before did.
    let at = left.length + place;
    let rounds = 0;
    while (at >= limit.calls) {
      at -= limit.calls;
      rounds += 1;
      if (at < left.length) return Math.max(earliest, (left[at] as number) + rounds * limit.perMs);
    }
    return earliest + rounds * limit.perMs;
  }

  function serve(): void {
    stopTimer?.();
    stopTimer = undefined;
    for (const next of waiting) {
      const now = clock.now();
      const ms = turnOf(0, now) - now;
      if (ms > 0) {
        stopTimer = clock.after(ms, serve);
        return;
      }
      if (limit !== undefined && left.push(now) > limit.calls) left.shift();
      waiting.delete(next);
      next();
    }
  }

  return {
    wait(before) {
      const now = clock.now();
      return turnOf(waiting.size + before, now) - now;
    },
    take(signal) {
      if (limit === undefined && waiting.size === 0 && clock.now() >= quietUntil) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const done = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const onAbort = (): void => {
          waiting.delete(done);
          reject(signal.reason as Error);
          serve();
        };
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.add(done);
        serve();
      });
    },
    hold(ms) {
      quietUntil = Math.max(quietUntil, clock.now() + ms);
      serve();
    },
  };
}
