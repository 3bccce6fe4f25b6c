// Owns the `catalog` global: search and describe, made calls like any other.
import type { Calls } from "./calls.ts";
import {
  ArrayIsArray,
  globalObject,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectFreeze,
} from "./primordials.ts";

interface CatalogOptions {
  readonly limit?: unknown;
  readonly server?: unknown;
  readonly detail?: unknown;
}

const NAMESPACE = "catalog";

export function installCatalog(calls: Calls): void {
  const catalog = ObjectCreate(null);
  const search = (query: unknown, options?: CatalogOptions): Promise<unknown> => {
    const args = ObjectCreate(null);
    args["query"] = query;
    args["limit"] = options?.limit;
    args["server"] = options?.server;
    args["detail"] = options?.detail;
    return calls.call(NAMESPACE, "search", args, search);
  };
  const describe = (names: unknown, options?: CatalogOptions): Promise<unknown> => {
    const args = ObjectCreate(null);
    args["names"] = ArrayIsArray(names) ? names : [names];
    args["detail"] = options?.detail;
    return calls.call(NAMESPACE, "describe", args, describe);
  };
  catalog["search"] = ObjectFreeze(search);
  catalog["describe"] = ObjectFreeze(describe);
  ObjectDefineProperty(globalObject, NAMESPACE, {
    __proto__: null,
    value: ObjectFreeze(catalog),
    configurable: true,
    writable: true,
    enumerable: true,
  });
}
