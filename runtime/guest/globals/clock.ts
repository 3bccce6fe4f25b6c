// Owns Date and performance on the deterministic clock: time moves only when an event is delivered.
import {
  DateCtor,
  DateToString,
  ObjectDefineProperty,
  ReflectConstruct,
  globalObject,
} from "../primordials.ts";
import { defineValue, defineValues } from "./define.ts";

/** Replaces Date (`now`, `new Date()`, `Date()`); everything else of it is V8's own. */
export function installDate(now: () => number): void {
  // A function, not a class: `Date()` without `new` is legal. `new.target` keeps subclasses working.
  const DeterministicDate = function (...args: readonly unknown[]): unknown {
    if (new.target === undefined) return DateToString(new DateCtor(now()));
    return ReflectConstruct(DateCtor, args.length === 0 ? [now()] : args, new.target);
  };
  const fixed = { __proto__: null, writable: false, enumerable: false } as const;
  ObjectDefineProperty(DeterministicDate, "name", { ...fixed, value: "Date", configurable: true });
  ObjectDefineProperty(DeterministicDate, "length", { ...fixed, value: 7, configurable: true });
  ObjectDefineProperty(DeterministicDate, "prototype", {
    ...fixed,
    value: DateCtor.prototype,
    configurable: false,
  });
  const statics = {
    now(): number {
      return now();
    },
  };
  defineValues(DeterministicDate, { now: statics.now, parse: DateCtor.parse, UTC: DateCtor.UTC });
  // Security: without this line the real clock is at `new Date().constructor`.
  defineValue(DateCtor.prototype, "constructor", DeterministicDate);
  defineValue(globalObject, "Date", DeterministicDate);
}

/** Defines `performance`. Returns a function that sets its time origin, called at the start of the run. */
export function installPerformance(now: () => number): (origin: number) => void {
  let origin = 0;
  const performance = {
    now(): number {
      return now() - origin;
    },
    get timeOrigin(): number {
      return origin;
    },
    toJSON(): object {
      return { timeOrigin: origin };
    },
  };
  defineValue(globalObject, "performance", performance);
  return (at) => {
    origin = at;
  };
}
