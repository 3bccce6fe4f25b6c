// Owns Event, EventTarget, AbortController and AbortSignal, made at first use of any of them.
import {
  NumberIsFinite,
  RangeErrorCtor,
  ReflectApply,
  SafeMap,
  StringCtor,
  TypeErrorCtor,
  append,
  reportUnhandled,
  safeList,
} from "../primordials.ts";
import { newDOMException } from "./dom-exception.ts";
import { addKind } from "./inspect-kinds.ts";
import { quote } from "./text-limits.ts";

export interface EventPowers {
  readonly now: () => number;
  readonly startTimer: (delayMs: number, fire: () => void) => number;
}

interface Listener {
  readonly callback: object;
  readonly capture: boolean;
  readonly once: boolean;
  removed: boolean;
}

interface ListenerOptions {
  readonly capture?: unknown;
  readonly once?: unknown;
  readonly signal?: unknown;
}

/** Makes the classes. */
export function createEvents(powers: EventPowers): Readonly<Record<string, unknown>> {
  // Set by the static blocks below: the way in for these classes only.
  let aim: (event: Event, target: EventTarget) => void;
  let isStopped: (event: Event) => boolean;
  let abortSignal: (signal: AbortSignal, reason: unknown) => void;
  let follow: (signal: AbortSignal, then: () => void) => void;
  let mayConstruct = false;

  class Event {
    readonly #type: string;
    readonly #cancelable: boolean;
    readonly #bubbles: boolean;
    readonly #timeStamp: number = powers.now();
    #target: EventTarget | null = null;
    #prevented = false;
    #stopped = false;

    static {
      aim = (event, target) => {
        event.#target = target;
        event.#stopped = false;
      };
      isStopped = (event) => event.#stopped;
      addKind(Event.prototype, {
        __proto__: null,
        test: (event) => #type in event,
        base: (event, name) => `${name} { type: ${quote((event as Event).#type, 100)} }`,
      });
    }
    constructor(type: unknown, init?: { readonly bubbles?: unknown; readonly cancelable?: unknown }) {
      this.#type = StringCtor(type);
      this.#bubbles = init?.bubbles ? true : false;
      this.#cancelable = init?.cancelable ? true : false;
    }
    get type(): string {
      return this.#type;
    }
    get target(): EventTarget | null {
      return this.#target;
    }
    get currentTarget(): EventTarget | null {
      return this.#target;
    }
    get bubbles(): boolean {
      return this.#bubbles;
    }
    get cancelable(): boolean {
      return this.#cancelable;
    }
    get defaultPrevented(): boolean {
      return this.#prevented;
    }
    get timeStamp(): number {
      return this.#timeStamp;
    }
    preventDefault(): void {
      if (this.#cancelable) this.#prevented = true;
    }
    stopPropagation(): void {}
    stopImmediatePropagation(): void {
      this.#stopped = true;
    }
  }

  class EventTarget {
    readonly #listeners: SafeMap<string, Listener[]> = new SafeMap();

    addEventListener(type: unknown, callback: unknown, options?: unknown): void {
      if (callback === null || callback === undefined) return;
      if (typeof callback !== "function" && typeof callback !== "object") {
        throw new TypeErrorCtor("addEventListener takes a function or an object with handleEvent");
      }
      const given = (typeof options === "object" && options !== null ? options : undefined) as
        ListenerOptions | undefined;
      const capture = given === undefined ? options === true : given.capture ? true : false;
      const signal = given?.signal;
      if (signal !== undefined && !(signal instanceof AbortSignal)) {
        throw new TypeErrorCtor("the option signal must be an AbortSignal");
      }
      if (signal?.aborted === true) return;
      const key = StringCtor(type);
      const list = this.#listeners.get(key) ?? safeList<Listener>();
      for (let i = 0; i < list.length; i++) {
        const known = list[i] as Listener;
        if (known.callback === callback && known.capture === capture) return;
      }
      append(list, { callback, capture, once: given?.once ? true : false, removed: false });
      this.#listeners.set(key, list);
      if (signal !== undefined) follow(signal, () => this.removeEventListener(key, callback, capture));
    }
    removeEventListener(type: unknown, callback: unknown, options?: unknown): void {
      const given =
        typeof options === "object" && options !== null ? (options as ListenerOptions) : undefined;
      const capture = given === undefined ? options === true : given.capture ? true : false;
      const key = StringCtor(type);
      const list = this.#listeners.get(key);
      if (list === undefined) return;
      const kept = safeList<Listener>();
      for (let i = 0; i < list.length; i++) {
        const listener = list[i] as Listener;
        if (listener.callback === callback && listener.capture === capture) listener.removed = true;
        else append(kept, listener);
      }
      this.#listeners.set(key, kept);
    }
    dispatchEvent(event: unknown): boolean {
      if (!(event instanceof Event)) throw new TypeErrorCtor("dispatchEvent takes an Event");
      aim(event, this);
      const list = this.#listeners.get(event.type);
      const length = list === undefined ? 0 : list.length;
      for (let i = 0; i < length && !isStopped(event); i++) {
        const listener = list?.[i] as Listener;
        if (listener.removed) continue;
        if (listener.once) this.removeEventListener(event.type, listener.callback, listener.capture);
        call(listener.callback, this, event);
      }
      return !event.defaultPrevented;
    }
  }

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason: unknown = undefined;
    #followers: (() => void)[] = safeList<() => void>();
    #onabort: unknown = null;

    static {
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason =
          reason === undefined ? newDOMException("This operation was aborted", "AbortError") : reason;
        const followers = signal.#followers;
        signal.#followers = safeList();
        for (let i = 0; i < followers.length; i++) (followers[i] as () => void)();
        const event = new Event("abort");
        if (typeof signal.#onabort === "function") {
          aim(event, signal);
          call(signal.#onabort, signal, event);
        }
        ReflectApply(dispatchEvent, signal, [event]);
      };
      addKind(AbortSignal.prototype, {
        __proto__: null,
        test: (signal) => #aborted in signal,
        base: (signal, name) => `${name} { aborted: ${(signal as AbortSignal).#aborted ? "true" : "false"} }`,
      });
      follow = (signal, then) => {
        if (!signal.#aborted) append(signal.#followers, then);
      };
    }
    constructor() {
      if (!mayConstruct) throw new TypeErrorCtor("Illegal constructor: use new AbortController().signal");
      super();
    }
    get aborted(): boolean {
      return this.#aborted;
    }
    get reason(): unknown {
      return this.#reason;
    }
    get onabort(): unknown {
      return this.#onabort;
    }
    set onabort(handler: unknown) {
      this.#onabort = typeof handler === "function" ? handler : null;
    }
    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason;
    }
    static abort(reason?: unknown): AbortSignal {
      const signal = newSignal();
      abortSignal(signal, reason);
      return signal;
    }
    static timeout(delay: unknown): AbortSignal {
      if (typeof delay !== "number" || !NumberIsFinite(delay) || delay < 0) {
        throw new RangeErrorCtor("AbortSignal.timeout takes a number of milliseconds, 0 or more");
      }
      const signal = newSignal();
      powers.startTimer(delay - (delay % 1), () => {
        abortSignal(signal, newDOMException("The operation was aborted due to timeout", "TimeoutError"));
      });
      return signal;
    }
    static any(signals: Iterable<unknown>): AbortSignal {
      const signal = newSignal();
      for (const source of signals) {
        if (!(source instanceof AbortSignal))
          throw new TypeErrorCtor("AbortSignal.any takes AbortSignals only");
        if (source.#aborted) {
          abortSignal(signal, source.#reason);
          return signal;
        }
        follow(source, () => abortSignal(signal, source.#reason));
      }
      return signal;
    }
  }
  const { dispatchEvent } = EventTarget.prototype;

  function newSignal(): AbortSignal {
    mayConstruct = true;
    try {
      return new AbortSignal();
    } finally {
      mayConstruct = false;
    }
  }

  class AbortController {
    readonly #signal: AbortSignal = newSignal();
    get signal(): AbortSignal {
      return this.#signal;
    }
    abort(reason?: unknown): void {
      abortSignal(this.#signal, reason);
    }
  }

  return { Event, EventTarget, AbortSignal, AbortController };
}

/** Calls a listener; what it throws is reported and stops nothing. */
function call(listener: object, self: unknown, event: unknown): void {
  try {
    if (typeof listener === "function") ReflectApply(listener as never, self, [event]);
    else {
      const handler = (listener as { readonly handleEvent?: unknown }).handleEvent;
      if (typeof handler !== "function") throw new TypeErrorCtor("the listener has no function handleEvent");
      ReflectApply(handler as never, listener, [event]);
    }
  } catch (error) {
    reportUnhandled(error);
  }
}
