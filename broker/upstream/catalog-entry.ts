// Owns the text of one remembered tool list: how it is written, and what of a text that may be anything is believed.
import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import type { CatalogEntry } from "./catalog-store.ts";
import { isDeeperThan } from "./depth.ts";

/** Largest entry that is written or read, bytes. */
export const MAX_ENTRY_BYTES: number = 8 << 20;
const FORMAT_VERSION = 1;
const MAX_DISCOVER = 16_384;
const MAX_DISCOVER_DEPTH = 20;

const object = z.custom<JsonObject>(isJsonObject);
const shape = z.strictObject({
  callgateCatalog: z.literal(FORMAT_VERSION),
  key: z.string(),
  listedAt: z.number().int().min(0),
  ttlMs: z.number().min(0).nullable(),
  changed: z.boolean(),
  era: z.enum(["legacy", "modern"]),
  discover: object.optional(),
  notes: z.array(z.string()).max(100),
  tools: z.array(object),
});

/** Undefined when it is too large to keep. */
export function entryText(key: string, entry: CatalogEntry): string | undefined {
  const { listedAt, ttlMs, changed, era, notes, tools } = entry;
  const discover = keptDiscover(entry.discover);
  const text = JSON.stringify({
    callgateCatalog: FORMAT_VERSION,
    key,
    listedAt,
    ttlMs,
    changed,
    era,
    ...(discover !== undefined && { discover }),
    notes,
    tools,
  });
  return Buffer.byteLength(text) > MAX_ENTRY_BYTES ? undefined : text;
}

/** Undefined for anything but an entry of this version that was written for `key`. */
export function parseEntry(key: string, text: string): CatalogEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success || parsed.data.key !== key) return undefined;
  const { callgateCatalog: _version, key: _key, ...entry } = parsed.data;
  return { ...entry, discover: keptDiscover(entry.discover) };
}

/** Only what the client goes by: what a server says of itself beside that is nothing to keep. */
function keptDiscover(given: JsonObject | undefined): JsonObject | undefined {
  if (given === undefined || isDeeperThan(given, MAX_DISCOVER_DEPTH)) return undefined;
  const { supportedVersions, capabilities } = given;
  const texts = Array.isArray(supportedVersions) && supportedVersions.every((one) => typeof one === "string");
  if (!texts || !isJsonObject(capabilities)) return undefined;
  const { tools, resources, prompts } = capabilities;
  const kept = {
    resultType: "complete",
    supportedVersions,
    capabilities: {
      ...(isJsonObject(tools) && { tools }),
      ...(isJsonObject(resources) && { resources: {} }),
      ...(isJsonObject(prompts) && { prompts: {} }),
    },
    ttlMs: 0,
    cacheScope: "private",
  };
  return JSON.stringify(kept).length > MAX_DISCOVER ? undefined : kept;
}
