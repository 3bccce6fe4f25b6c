// Owns the list of globals: what is installed, what is deleted (docs/globals.md gives the reason of each).
import { NumberCtor, ObjectDefineProperty, ReflectDeleteProperty, globalObject } from "../primordials.ts";
import { installDate, installPerformance } from "./clock.ts";
import { installConsole } from "./console.ts";
import { installProxy } from "./proxy.ts";
import { createRandomStream, installRandom } from "./random.ts";
import { installTimers } from "./timers.ts";

export interface GuestPowers {
  /** Current deterministic time, ms since the epoch (changes only with deliveries). */
  readonly now: () => number;
  /** Called back once, when the run starts; before that the clock and the generator are at zero. */
  readonly onStart: (listener: (start: { seed: string; timeZone: string }) => void) => void;
  /** A finished line of output, bounded before the call. */
  readonly log: (level: "log" | "info" | "warn" | "error" | "debug", text: string) => void;
  /** Starts a timer event. Throws RangeError when the limit of pending timers is met. */
  readonly startTimer: (delayMs: number, fire: () => void) => number;
  readonly cancelTimer: (id: number) => void;
}

const DELETED = ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "WebAssembly"];

/** Installs every global on globalThis once, when the isolate is warmed, before any script text is seen. */
export function installGlobals(powers: GuestPowers): void {
  for (let i = 0; i < DELETED.length; i++) ReflectDeleteProperty(globalObject, DELETED[i] as string);
  const random = createRandomStream(0);
  installProxy();
  installDate(powers.now);
  installRandom(random);
  installTimers(powers);
  installConsole(powers);
  const setTimeOrigin = installPerformance(powers.now);
  powers.onStart((start) => {
    random.reset(start.seed);
    setTimeOrigin(powers.now());
  });
}
