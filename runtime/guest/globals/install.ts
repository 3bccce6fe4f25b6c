// Owns the list of globals: what is installed, what is deleted (docs/globals.md gives the reason of each).
import { ErrorCtor, ObjectDefineProperty, ReflectDeleteProperty, globalObject } from "../primordials.ts";
import { atob, btoa } from "./base64.ts";
import { installDate, installPerformance } from "./clock.ts";
import { structuredClone } from "./clone.ts";
import { installConsole } from "./console.ts";
import { installCrypto } from "./crypto.ts";
import { defineLazy, defineValues } from "./define.ts";
import { domException } from "./dom-exception.ts";
import { createEvents } from "./events.ts";
import { installIntl } from "./intl.ts";
import { installProxy } from "./proxy.ts";
import { createRandomStream, installRandom } from "./random.ts";
import { createTextCodecs } from "./text-codec.ts";
import { installTimers } from "./timers.ts";
import { loadUrl } from "./url.ts";

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
/** Frames that an error records. */
const STACK_FRAMES = 10;
/** Separates what `crypto` draws from what `Math.random` draws. */
const CRYPTO_LANE = 0x63727970;

/** Installs every global on globalThis once, when the isolate is warmed, before any script text is seen. */
export function installGlobals(powers: GuestPowers): void {
  for (let i = 0; i < DELETED.length; i++) ReflectDeleteProperty(globalObject, DELETED[i] as string);
  // Security: a script that asks for endless stacks could spend memory that no limit counts in time.
  ObjectDefineProperty(ErrorCtor, "stackTraceLimit", {
    __proto__: null,
    value: STACK_FRAMES,
    writable: false,
    enumerable: true,
    configurable: false,
  });
  const random = createRandomStream(0);
  const cryptoRandom = createRandomStream(CRYPTO_LANE);
  installProxy();
  installDate(powers.now);
  installRandom(random);
  installTimers(powers);
  installConsole(powers);
  installCrypto(cryptoRandom);
  const setTimeZone = installIntl(powers.now);
  const setTimeOrigin = installPerformance(powers.now);
  defineValues(globalObject, {
    atob: (data: unknown) => atob(data),
    btoa: (data: unknown) => btoa(data),
    structuredClone: (value: unknown, options?: { readonly transfer?: unknown }) =>
      structuredClone(value, options),
  });
  defineLazy(["DOMException"], () => ({ DOMException: domException() }));
  defineLazy(["TextEncoder", "TextDecoder"], createTextCodecs);
  defineLazy(["Event", "EventTarget", "AbortController", "AbortSignal"], () => createEvents(powers));
  defineLazy(["URL", "URLSearchParams"], loadUrl);
  powers.onStart((start) => {
    random.reset(start.seed);
    cryptoRandom.reset(start.seed);
    setTimeZone(start.timeZone);
    setTimeOrigin(powers.now());
  });
}
