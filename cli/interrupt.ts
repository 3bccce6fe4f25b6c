// Owns what signals mean: the first ends the work in order, the second ends the process at once.
import { constants } from "node:os";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Interrupt extends Disposable {
  /** Aborts on the first signal. */
  readonly signal: AbortSignal;
  /** 128 + the number of the signal that came; undefined while none has. */
  readonly exitCode: number | undefined;
  /** As if the signal had come: a terminal in raw mode sends no SIGINT of its own. */
  raise(name: EndSignal): void;
  /** Ends the work in order without a signal having come. */
  stop(): void;
}

interface SignalSource {
  on(name: EndSignal, listener: () => void): unknown;
  off(name: EndSignal, listener: () => void): unknown;
}

const NAMES: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** A terminal signals the whole group, and a wrapper (npm) may pass the same one on: one key press, two signals. */
const SAME_PRESS_MS = 250;

/** `exitNow` must not return to its caller. */
export function createInterrupt(options: {
  readonly source: SignalSource;
  readonly now: () => number;
  readonly exitNow: (code: number) => void;
}): Interrupt {
  const { source, now, exitNow } = options;
  const controller = new AbortController();
  let first: { readonly name: EndSignal; readonly at: number } | undefined;
  const raise = (name: EndSignal): void => {
    if (first === undefined) {
      first = { name, at: now() };
      controller.abort(new Error(`ended by ${name}`));
    } else if (name !== first.name || now() - first.at > SAME_PRESS_MS) {
      exitNow(codeOf(name));
    }
  };
  const listeners = NAMES.map((name) => ({ name, listener: () => raise(name) }));
  for (const { name, listener } of listeners) source.on(name, listener);
  return {
    signal: controller.signal,
    get exitCode() {
      return first === undefined ? undefined : codeOf(first.name);
    },
    raise,
    stop: () => controller.abort(new Error("ended")),
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) source.off(name, listener);
    },
  };
}

function codeOf(name: EndSignal): number {
  return 128 + constants.signals[name];
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. `work` goes on. */
export async function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
