// Owns the timers of one run on the broker side; the guest only asks and is told.

export interface RunTimers {
  readonly started: number;
  /** False when the number is not the next one, or over the limit. */
  start(seq: number, delayMs: number): boolean;
  cancel(seq: number): void;
  /** The run is repeated from its start: its timers will be asked for again. */
  rewind(): void;
  clear(): void;
}

const LONGEST_MS = 2_147_483_647;

export function createTimers(options: {
  readonly limit: number;
  readonly fire: (seq: number) => void;
}): RunTimers {
  const pending = new Map<number, NodeJS.Timeout>();
  let started = 0;
  let asked = 0;
  return {
    get started() {
      return started;
    },
    start(seq, delayMs) {
      if (seq !== asked + 1) return false;
      asked = seq;
      if (seq <= started) return true;
      if (seq > options.limit) return false;
      started = seq;
      const wait = delayMs >= 1 ? Math.min(delayMs, LONGEST_MS) : 1;
      pending.set(
        seq,
        setTimeout(() => {
          pending.delete(seq);
          options.fire(seq);
        }, wait),
      );
      return true;
    },
    cancel(seq) {
      clearTimeout(pending.get(seq));
      pending.delete(seq);
    },
    rewind() {
      asked = 0;
    },
    clear() {
      for (const timer of pending.values()) clearTimeout(timer);
      pending.clear();
    },
  };
}
