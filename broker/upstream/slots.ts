// Owns how many calls one server works on at a time.

export interface Slots {
  /**
   * Waits for a free slot; the returned function gives it back and may be called twice. Rejects with the signal's reason.
   * Returns undefined at once when too many wait already.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** How many callers wait. */
  waiting(): number;
}

/** At most `limit` slots out and `queue` callers waiting, served in order. */
export function createSlots(limit: number, queue: number): Slots {
  let free = limit;
  const waiting = new Set<() => void>();
  const giveBack = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    };
  };
  return {
    waiting: () => waiting.size,
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return giveBack();
      }
      if (waiting.size >= queue) return undefined;
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          waiting.delete(settle);
          signal.removeEventListener("abort", onAbort);
          resolve(giveBack());
        };
        const onAbort = (): void => {
          waiting.delete(settle);
          reject(signal.reason as Error);
        };
        waiting.add(settle);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}
