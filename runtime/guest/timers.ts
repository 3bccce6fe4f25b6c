// Owns the timer events of a run inside the isolate. Time itself is kept by the broker.
import type { Send } from "./powers.ts";
import { enqueueMicrotask, RangeErrorCtor, SafeMap } from "./primordials.ts";

export interface Timers {
  setLimit(limit: number): void;
  start(delayMs: number, fire: () => void): number;
  cancel(id: number): void;
  /** Fires a delivered timer; one that was cancelled meanwhile stays silent. */
  deliver(seq: number): void;
}

export function createTimers(send: Send): Timers {
  const pending = new SafeMap<number, () => void>();
  let started = 0;
  let limit = 0;
  return {
    setLimit(next) {
      limit = next;
    },
    start(delayMs, fire) {
      // Security: each start is a message, so all of them are counted, not only those pending.
      if (started >= limit) throw new RangeErrorCtor(`more than ${limit} timers in one run (limit timers)`);
      started += 1;
      pending.set(started, fire);
      send("timer", started, "", "", "", delayMs);
      return started;
    },
    cancel(id) {
      if (!pending.has(id)) return;
      pending.delete(id);
      send("cancelTimer", id, "", "", "", 0);
    },
    deliver(seq) {
      const fire = pending.get(seq);
      if (fire === undefined) return;
      pending.delete(seq);
      // As a microtask, so that no frame of the bootstrap lies under the callback; it is drained before the next event.
      enqueueMicrotask(fire);
    },
  };
}
