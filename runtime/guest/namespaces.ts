// Owns the namespace objects: `github.list_issues(...)`.
import type { Calls } from "./calls.ts";
import {
  globalObject,
  JSONParse,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectFreeze,
  ObjectKeys,
} from "./primordials.ts";

/**
 * Defines one global per namespace. Each is built on first use, so that a thousand tools cost a run nothing.
 * Security: frozen objects without a prototype, so that `constructor`, `__proto__` and `then` are no tools.
 */
export function installNamespaces(manifestJson: string, calls: Calls): void {
  const manifest = JSONParse(manifestJson) as Record<string, readonly string[]>;
  const names = ObjectKeys(manifest);
  for (let index = 0; index < names.length; index += 1) {
    const namespace = names[index] as string;
    const identifiers = manifest[namespace] as readonly string[];
    let built: object | undefined;
    ObjectDefineProperty(globalObject, namespace, {
      __proto__: null,
      configurable: true,
      enumerable: true,
      get: () => (built ??= buildNamespace(namespace, identifiers, calls)),
      // A script at top level may shadow a namespace, as it may shadow any global.
      set: (value: unknown) => {
        ObjectDefineProperty(globalObject, namespace, {
          __proto__: null,
          value,
          configurable: true,
          enumerable: true,
          writable: true,
        });
      },
    });
  }
}

function buildNamespace(namespace: string, identifiers: readonly string[], calls: Calls): object {
  const object = ObjectCreate(null);
  for (let index = 0; index < identifiers.length; index += 1) {
    const identifier = identifiers[index] as string;
    const stub = (args?: unknown): Promise<unknown> => calls.call(namespace, identifier, args, stub);
    ObjectDefineProperty(stub, "name", { __proto__: null, value: identifier, configurable: false });
    ObjectDefineProperty(object, identifier, {
      __proto__: null,
      value: ObjectFreeze(stub),
      enumerable: true,
    });
  }
  return ObjectFreeze(object);
}
