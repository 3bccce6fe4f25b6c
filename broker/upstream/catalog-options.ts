// Owns what may be given as `catalogCache`, and the memory of tool lists it makes.
import { CallgateError } from "../../contract/error.ts";
import { createCatalogFiles } from "./catalog-files.ts";
import type { CatalogMemory } from "./catalog-store.ts";

/** Keeps tool lists between processes, so that a server is started when it is first called (docs/catalog-cache.md). */
export interface CatalogCacheOptions {
  /** Made when the first list is kept; for this user alone. */
  readonly folder: string;
  /** How long a list holds whose server does not say, ms. @defaultValue 86 400 000 (a day) */
  readonly ttlMs?: number;
  /** Asks every server when the gate opens, whatever is kept. @defaultValue false */
  readonly refresh?: boolean;
}

const KEYS: ReadonlySet<string> = new Set(["folder", "ttlMs", "refresh"]);

/** Undefined without the option. Throws CONFIG_INVALID. */
export function openCatalogMemory(given: CatalogCacheOptions | undefined): CatalogMemory | undefined {
  if (given === undefined) return undefined;
  const { folder, ttlMs, refresh } = given;
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    throw invalid(`.${unknown.slice(0, 80)}`, `no such option; there are ${[...KEYS].join(", ")}`);
  if (typeof folder !== "string" || folder === "" || folder.includes("\0"))
    throw invalid(".folder", "expected the path of a folder");
  if (ttlMs !== undefined && !(typeof ttlMs === "number" && ttlMs >= 0))
    throw invalid(".ttlMs", "expected milliseconds, 0 or more");
  if (refresh !== undefined && typeof refresh !== "boolean")
    throw invalid(".refresh", "expected true or false");
  return { store: createCatalogFiles(folder), ttlMs, refresh };
}

function invalid(inside: string, why: string): CallgateError {
  const path = `catalogCache${inside}`;
  return new CallgateError("CONFIG_INVALID", `${path}: ${why}`, { data: { path } });
}
