// Owns Proxy: V8's own, with a note of each target, so that printing a proxy runs none of its traps.
import {
  ObjectDefineProperty,
  ProxyCtor,
  ReflectApply,
  ReflectConstruct,
  WeakMapCtor,
  WeakMapGet,
  WeakMapHas,
  WeakMapSet,
  globalObject,
} from "../primordials.ts";
import { defineValue } from "./define.ts";

const targets: WeakMap<object, unknown> = new WeakMapCtor();

/** Whether `value` is a Proxy. */
export function isProxy(value: unknown): boolean {
  return WeakMapHas(targets, value);
}

/** The innermost target of a proxy; any other value as it is. Runs no trap. */
export function withoutProxy(value: object): object {
  let inner = value;
  while (WeakMapHas(targets, inner)) inner = WeakMapGet(targets, inner) as object;
  return inner;
}

/** Replaces Proxy. A proxy can be made in no other way, so the note is complete. */
export function installProxy(): void {
  const nativeRevocable = ProxyCtor.revocable;
  const NotedProxy = function (target: object, handler: object): unknown {
    // Without `new` V8 throws the TypeError that it throws for its own.
    if (new.target === undefined) return ReflectApply(ProxyCtor as never, undefined, [target, handler]);
    const proxy = ReflectConstruct(ProxyCtor, [target, handler]);
    WeakMapSet(targets, proxy, target);
    return proxy;
  };
  const statics = {
    revocable(target: object, handler: object): object {
      const made = ReflectApply<{ proxy: object }>(nativeRevocable as never, ProxyCtor, [target, handler]);
      WeakMapSet(targets, made.proxy, target);
      return made;
    },
  };
  const fixed = { __proto__: null, writable: false, enumerable: false, configurable: true } as const;
  ObjectDefineProperty(NotedProxy, "name", { ...fixed, value: "Proxy" });
  ObjectDefineProperty(NotedProxy, "prototype", { __proto__: null, value: undefined, writable: false });
  defineValue(NotedProxy, "revocable", statics.revocable);
  defineValue(globalObject, "Proxy", NotedProxy);
}
