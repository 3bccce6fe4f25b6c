// Owns the time of one call: a limit that progress extends, up to a hard maximum, and whose fault an end was.
import type { Clock } from "./clock.ts";

/** Progress extends a limit up to this many times in total. */
export const HARD_MAXIMUM_FACTOR = 10;

export interface Deadline extends Disposable {
  /** Aborts at the limit or when the caller's signal does. */
  readonly signal: AbortSignal;
  /** Starts the limit anew; the hard maximum stays. */
  extend(): void;
  /** The limit stands still until the returned function is called. */
  hold(): () => void;
  /** What ended it first; undefined while it runs. */
  ended(): "timeout" | "cancelled" | undefined;
}

export function createDeadline(options: {
  /** Any of them ends it as cancelled. Listeners are taken off again: some of these signals live for ever. */
  readonly signals: readonly AbortSignal[];
  readonly timeoutMs: number;
  readonly clock: Clock;
}): Deadline {
  const { signals, clock } = options;
  // Node fires a timer of more than 31 bits at once.
  const timeoutMs = Math.min(Math.max(1, options.timeoutMs), 2_147_483_647);
  let hardEnd = clock.now() + timeoutMs * HARD_MAXIMUM_FACTOR;
  let softEnd = clock.now() + timeoutMs;
  let holds = 0;
  let heldSince = 0;
  const own = new AbortController();
  let cause: "timeout" | "cancelled" | undefined;
  let stopTimer = (): void => {};
  const end = (why: "timeout" | "cancelled"): void => {
    if (cause !== undefined) return;
    cause = why;
    stopTimer();
    own.abort(new Error(why === "timeout" ? "timed out" : "cancelled"));
  };
  const onAbort = (): void => end("cancelled");
  const arm = (): void => {
    stopTimer();
    if (cause !== undefined || holds > 0) return;
    stopTimer = clock.after(Math.max(0, Math.min(softEnd, hardEnd) - clock.now()), () => end("timeout"));
  };
  if (signals.some(({ aborted }) => aborted)) onAbort();
  for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
  arm();
  return {
    signal: own.signal,
    extend() {
      softEnd = clock.now() + timeoutMs;
      arm();
    },
    hold() {
      if (holds === 0) heldSince = clock.now();
      holds += 1;
      stopTimer();
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holds -= 1;
        if (holds > 0) return;
        const stood = clock.now() - heldSince;
        softEnd += stood;
        hardEnd += stood;
        arm();
      };
    },
    ended: () => cause,
    [Symbol.dispose]() {
      stopTimer();
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
}
