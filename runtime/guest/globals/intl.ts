// Owns the defaults of Intl and of the toLocale methods: locale en-US, the run's time zone, the deterministic clock.
import {
  ArrayIsArray,
  IntlNamespace,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor,
  ReflectApply,
  ReflectConstruct,
  ReflectDeleteProperty,
  WeakMapCtor,
  WeakMapGet,
  WeakMapSet,
  append,
  getterOf,
  safeList,
} from "../primordials.ts";
import { defineLazy, defineValue } from "./define.ts";

const LOCALE = "en-US";
const MAX_LOCALES = 100;
const CONSTRUCTORS = [
  "Collator",
  "DateTimeFormat",
  "DisplayNames",
  "DurationFormat",
  "ListFormat",
  "NumberFormat",
  "PluralRules",
  "RelativeTimeFormat",
  "Segmenter",
];

type AnyFunction = (...args: never[]) => unknown;

/** The locales asked for, then en-US: the machine's own locale is never the fallback. */
function pinned(locales: unknown): unknown {
  if (locales === undefined) return LOCALE;
  if (locales === null || (ArrayIsArray(locales) && locales.length > MAX_LOCALES)) return locales;
  const list = safeList<unknown>();
  if (ArrayIsArray(locales)) for (let i = 0; i < locales.length; i++) append(list, locales[i]);
  else append(list, locales);
  append(list, LOCALE);
  return list;
}

/**
 * Pins the defaults. V8's own local time (`getHours`, `toString`) is that of the process, which runs in UTC;
 * the run's zone reaches `Intl.DateTimeFormat` and the `toLocale` methods. Returns the function that sets the zone.
 */
export function installIntl(now: () => number): (timeZone: string) => void {
  let zone = "UTC";

  const withZone = (options: unknown): unknown => {
    if (zone === "UTC" || options === null) return options;
    if (options === undefined) return { __proto__: null, timeZone: zone };
    if (typeof options !== "object" || (options as { timeZone?: unknown }).timeZone !== undefined)
      return options;
    const derived = ObjectCreate(options);
    ObjectDefineProperty(derived, "timeZone", { __proto__: null, value: zone });
    return derived;
  };

  // Security: the namespace is patched whole before a script can hold any part of it: `format()` would tell the real time.
  defineLazy(["Intl"], () => {
    const intl = IntlNamespace as unknown as Record<string, AnyFunction & { prototype: object }>;
    wrapFormat((intl["DateTimeFormat"] as { prototype: object }).prototype, now);
    for (let i = 0; i < CONSTRUCTORS.length; i++) {
      const name = CONSTRUCTORS[i] as string;
      const native = intl[name];
      if (native !== undefined)
        wrapConstructor(name, native, name === "DateTimeFormat" ? withZone : undefined);
    }
    ReflectDeleteProperty(IntlNamespace, "v8BreakIterator");
    return { __proto__: null, Intl: IntlNamespace } as never;
  });

  pinMethod(String.prototype, "localeCompare", 1);
  pinMethod(String.prototype, "toLocaleLowerCase", 0);
  pinMethod(String.prototype, "toLocaleUpperCase", 0);
  pinMethod(Number.prototype, "toLocaleString", 0);
  pinMethod(BigInt.prototype, "toLocaleString", 0);
  pinMethod(Date.prototype, "toLocaleString", 0, withZone);
  pinMethod(Date.prototype, "toLocaleDateString", 0, withZone);
  pinMethod(Date.prototype, "toLocaleTimeString", 0, withZone);

  return (timeZone) => {
    zone = timeZone;
  };
}

function wrapConstructor(
  name: string,
  native: AnyFunction & { prototype: object },
  adapt: ((options: unknown) => unknown) | undefined,
): void {
  const Pinned = function (locales?: unknown, options?: unknown): unknown {
    const args = [pinned(locales), adapt === undefined ? options : adapt(options)];
    // Without `new` V8 makes one, or throws the TypeError that it throws for its own.
    if (new.target === undefined) return ReflectApply(native, undefined, args);
    return ReflectConstruct(native, args, new.target);
  };
  const statics = native as unknown as { readonly length: number; readonly supportedLocalesOf: unknown };
  defineValue(Pinned, "supportedLocalesOf", statics.supportedLocalesOf);
  copyIdentity(Pinned, name, statics.length);
  ObjectDefineProperty(Pinned, "prototype", { __proto__: null, value: native.prototype, writable: false });
  defineValue(native.prototype, "constructor", Pinned);
  defineValue(IntlNamespace, name, Pinned);
}

/** `format()` and `formatToParts()` without a date mean now: the run's now. */
function wrapFormat(prototype: object, now: () => number): void {
  const nativeFormat = getterOf(prototype, "format") as (self: unknown) => (date: unknown) => string;
  const nativeParts = (prototype as { formatToParts: AnyFunction }).formatToParts;
  const bound = new WeakMapCtor<object, unknown>();
  const methods = {
    get format(): unknown {
      const format = nativeFormat(this);
      let wrapped = WeakMapGet(bound, format);
      if (wrapped === undefined) {
        wrapped = (date?: unknown) => format(date === undefined ? now() : date);
        WeakMapSet(bound, format, wrapped);
      }
      return wrapped;
    },
    formatToParts(date?: unknown): unknown {
      return ReflectApply(nativeParts, this, [date === undefined ? now() : date]);
    },
  };
  const format = ObjectGetOwnPropertyDescriptor(methods, "format");
  ObjectDefineProperty(prototype, "format", {
    __proto__: null,
    get: format?.get as () => unknown,
    configurable: true,
    enumerable: false,
  });
  defineValue(prototype, "formatToParts", methods.formatToParts);
}

/** Gives a method its default locale; `position` is the index of its `locales` argument, `options` come after it. */
function pinMethod(
  prototype: object,
  name: string,
  position: 0 | 1,
  adapt?: (options: unknown) => unknown,
): void {
  const native = (prototype as Record<string, AnyFunction>)[name] as AnyFunction;
  const methods =
    position === 1
      ? {
          [name](this: unknown, that?: unknown, locales?: unknown, options?: unknown): unknown {
            return ReflectApply(native, this, [
              that,
              locales === undefined ? LOCALE : pinned(locales),
              options,
            ]);
          },
        }
      : {
          [name](this: unknown, locales?: unknown, options?: unknown): unknown {
            const given = adapt === undefined ? options : adapt(options);
            return ReflectApply(native, this, [locales === undefined ? LOCALE : pinned(locales), given]);
          },
        };
  const method = methods[name] as AnyFunction;
  copyIdentity(method, name, native.length);
  defineValue(prototype, name, method);
}

function copyIdentity(target: object, name: string, length: number): void {
  ObjectDefineProperty(target, "name", { __proto__: null, value: name, configurable: true });
  ObjectDefineProperty(target, "length", { __proto__: null, value: length, configurable: true });
}
