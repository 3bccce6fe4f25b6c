// Owns the namespace objects: `github.list_issues(...)`.
import type { Calls } from "./calls.ts";
import {
  globalObject,
  JSONParse,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectFreeze,
  ObjectKeys,
  StringIndexOf,
  StringSlice,
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
  const groups = ObjectCreate(null);
  for (let index = 0; index < identifiers.length; index += 1) {
    const identifier = identifiers[index] as string;
    const dot = StringIndexOf(identifier, ".");
    if (dot > 0) {
      addMethod(groups, StringSlice(identifier, 0, dot), StringSlice(identifier, dot + 1), namespace, calls);
      continue;
    }
    const stub = (args?: unknown): Promise<unknown> => calls.call(namespace, identifier, args, stub);
    ObjectDefineProperty(stub, "name", { __proto__: null, value: identifier, configurable: false });
    ObjectDefineProperty(object, identifier, {
      __proto__: null,
      value: ObjectFreeze(stub),
      enumerable: true,
    });
  }
  const names = ObjectKeys(groups);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const value = ObjectFreeze(groups[name] as object);
    ObjectDefineProperty(object, name, { __proto__: null, value, enumerable: true });
  }
  return ObjectFreeze(object);
}

/** Resources and prompts: `namespace.resources.read(uri)`, `namespace.prompts.get(name, args)`. */
function addMethod(
  groups: Record<PropertyKey, unknown>,
  group: string,
  member: string,
  namespace: string,
  calls: Calls,
): void {
  const stub = (first?: unknown, second?: unknown): Promise<unknown> =>
    calls.call(namespace, `${group}.${member}`, methodArguments(member, first, second), stub);
  ObjectDefineProperty(stub, "name", { __proto__: null, value: member, configurable: false });
  const object = (groups[group] ??= ObjectCreate(null)) as object;
  ObjectDefineProperty(object, member, { __proto__: null, value: ObjectFreeze(stub), enumerable: true });
}

/** A text stands for the one argument that must be. */
function methodArguments(member: string, first: unknown, second: unknown): unknown {
  if (typeof first !== "string" || (member !== "read" && member !== "get")) return first;
  const args = ObjectCreate(null);
  args[member === "read" ? "uri" : "name"] = first;
  if (member === "get") args["arguments"] = second;
  return args;
}
