// Owns setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask and sleep: timers are events of the run.
import {
  NumberCtor,
  PromiseCtor,
  ReflectApply,
  SafeMap,
  TypeErrorCtor,
  enqueueMicrotask,
  reportUnhandled,
  globalObject,
} from "../primordials.ts";
import { defineValues } from "./define.ts";

/** The longest delay that a timer takes, ms; longer ones are cut to it. */
const MAX_DELAY_MS = 2_147_483_647;

export interface TimerPowers {
  readonly startTimer: (delayMs: number, fire: () => void) => number;
  readonly cancelTimer: (id: number) => void;
}

type Handler = (...args: never[]) => unknown;

/** Whole milliseconds from anything a script passes as a delay: never negative, never NaN. */
export function toDelay(value: unknown): number {
  const delay = NumberCtor(value);
  if (!(delay > 0)) return 0;
  return delay < MAX_DELAY_MS ? delay - (delay % 1) : MAX_DELAY_MS;
}

function checkHandler(name: string, handler: unknown): Handler {
  if (typeof handler === "function") return handler as Handler;
  throw new TypeErrorCtor(
    `${name} takes a function as its first argument (got ${typeof handler}); text is not run as code`,
  );
}

/** Defines the timer globals on globalThis. */
export function installTimers(powers: TimerPowers): void {
  // The script's id of a timer → the current timer event's id. An interval keeps its id over many events.
  const running = new SafeMap<number, number>();
  let lastId = 0;

  const start = (
    id: number,
    handler: Handler,
    delay: number,
    args: readonly unknown[],
    repeat: boolean,
  ): void => {
    const event = powers.startTimer(delay, () => {
      if (running.get(id) !== event) return;
      running.delete(id);
      try {
        if (repeat) start(id, handler, delay, args, true);
        ReflectApply(handler, undefined, args);
      } catch (error) {
        reportUnhandled(error);
      }
    });
    running.set(id, event);
  };

  const clear = (value: unknown): void => {
    const id = NumberCtor(value);
    const event = running.get(id);
    if (event === undefined) return;
    running.delete(id);
    powers.cancelTimer(event);
  };

  defineValues(globalObject, {
    setTimeout(handler: unknown, delay?: unknown, ...args: readonly unknown[]): number {
      const checked = checkHandler("setTimeout", handler);
      const id = ++lastId;
      start(id, checked, toDelay(delay), args, false);
      return id;
    },
    setInterval(handler: unknown, delay?: unknown, ...args: readonly unknown[]): number {
      const checked = checkHandler("setInterval", handler);
      const id = ++lastId;
      // A period of 0 would be a busy loop of events at one instant of the clock.
      const period = toDelay(delay);
      start(id, checked, period < 1 ? 1 : period, args, true);
      return id;
    },
    clearTimeout(id?: unknown): void {
      clear(id);
    },
    clearInterval(id?: unknown): void {
      clear(id);
    },
    queueMicrotask(handler: unknown): void {
      const checked = checkHandler("queueMicrotask", handler);
      enqueueMicrotask(() => void ReflectApply(checked, undefined, NO_ARGUMENTS));
    },
    sleep(delay?: unknown): Promise<void> {
      const ms = toDelay(delay);
      return new PromiseCtor<void>((resolve) => void powers.startTimer(ms, resolve));
    },
  });
}

const NO_ARGUMENTS: readonly unknown[] = [];
