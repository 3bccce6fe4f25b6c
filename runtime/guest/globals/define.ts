// Owns how a global is put in place: as a plain data property, or as a getter that becomes one on first use.
import {
  ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor,
  ObjectHasOwnProperty,
  ObjectKeys,
  ReflectDefineProperty,
  globalObject,
} from "../primordials.ts";

/** Defines a writable, configurable, non-enumerable property, as the language does for its own globals. */
export function defineValue(target: object, name: PropertyKey, value: unknown): void {
  ObjectDefineProperty(target, name, { __proto__: null, value, writable: true, configurable: true });
}

/** Defines every own property of `values` with `defineValue`. */
export function defineValues(target: object, values: Readonly<Record<string, unknown>>): void {
  const names = ObjectKeys(values);
  for (let i = 0; i < names.length; i++) defineValue(target, names[i] as string, values[names[i] as string]);
}

/** Sets the `name` of a function. */
export function nameFunction(target: object, name: string): void {
  ReflectDefineProperty(target, "name", { __proto__: null, value: name, configurable: true });
}

/** Makes a function that calls `make` once, at its first call. A throw is not remembered. */
export function once<T>(make: () => T): () => T {
  let done = false;
  let value: T;
  return () => {
    if (!done) {
      value = make();
      done = true;
    }
    return value;
  };
}

/**
 * Defines globals that are made together at the first use of one of them, then are plain data properties.
 * A name that the script has replaced or deleted before that stays as the script left it.
 */
export function defineLazy(names: readonly string[], load: () => Readonly<Record<string, unknown>>): void {
  const make = once(load);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const accessors = {
      get(): unknown {
        const values = make();
        settleNames(names, values);
        return values[name];
      },
      set(value: unknown): void {
        ReflectDefineProperty(globalObject, name, {
          __proto__: null,
          value,
          writable: true,
          configurable: true,
          enumerable: true,
        });
      },
    };
    lazyGetters[lazyGetters.length] = accessors.get;
    ObjectDefineProperty(globalObject, name, {
      __proto__: null,
      get: accessors.get,
      set: accessors.set,
      configurable: true,
    });
  }
}

// Written at install only, before any script could plant a setter; read by index.
const lazyGetters: unknown[] = [];

/** Whether `name` is still the getter that `defineLazy` put there. */
function isLazy(name: string): boolean {
  const descriptor = ObjectGetOwnPropertyDescriptor(globalObject, name);
  if (descriptor === undefined || !ObjectHasOwnProperty(descriptor, "get")) return false;
  for (let i = 0; i < lazyGetters.length; i++) if (lazyGetters[i] === descriptor.get) return true;
  return false;
}

function settleNames(names: readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    // The bundle may have been built with short names.
    if (typeof values[name] === "function") nameFunction(values[name], name);
    if (!isLazy(name)) continue;
    ReflectDefineProperty(globalObject, name, {
      __proto__: null,
      value: values[name],
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
}
