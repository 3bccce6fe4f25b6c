// Owns the clock that upstreams are given.

export interface Clock {
  /** ms; only differences count. */
  now(): number;
  /** Runs `action` after `ms`; the returned function takes it back. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms`; ends early, without an error, when the signal aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. `work` goes on. */
export function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Waits for `work`, but no longer than `ms`; never rejects. */
export async function settledWithin(clock: Clock, work: Promise<unknown>, ms: number): Promise<void> {
  const done = new AbortController();
  const finish = (): void => done.abort();
  work.then(finish, finish);
  await pause(clock, ms, done.signal);
}
