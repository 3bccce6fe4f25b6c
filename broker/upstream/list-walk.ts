// Owns the walk over the pages of `tools/list`: what was listed, and when a walk that never ends is over.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { DAY_MS } from "./catalog-store.ts";
import { printable } from "./printable.ts";

/** The longest text of a server that may reach the SDK's warnings. */
const MAX_SHOWN = 512;

/** Pages read at most. */
export const MAX_PAGES = 1_000;

export interface ListWalk {
  /** Forgets the last walk. */
  restart(): void;
  /** Takes one raw page; returns what the SDK is to see of it. */
  take(page: JsonValue, modern: boolean): JsonObject;
  /** Every raw tool so far. */
  readonly raw: readonly unknown[];
  readonly notes: readonly string[];
  /** How long the page that holds shortest does, ms; undefined where no page can say so. */
  readonly ttlMs: number | undefined;
}

/** The SDK sees a name and an empty schema per tool, unless the schema asks for HTTP headers, which the SDK judges. */
export function createListWalk(): ListWalk {
  let raw: unknown[] = [];
  let notes: string[] = [];
  let cursors = new Set<string>();
  let pages = new Set<string>();
  let count = 0;
  let ttlMs: number | undefined;
  const end = (note: string): { nextCursor?: string } => {
    notes.push(note);
    return {};
  };
  const next = (page: JsonValue, repeated: boolean): { nextCursor?: string } => {
    const cursor = isJsonObject(page) ? own(page, "nextCursor") : undefined;
    // The empty string is a valid cursor; null is how some servers write "none".
    if (cursor === undefined || cursor === null) return {};
    if (typeof cursor !== "string") return end("the list ends with a cursor that is not text");
    if (repeated || cursors.has(cursor)) return end("the pages of the tool list repeat; each was read once");
    if (count >= MAX_PAGES)
      return end(`the tool list has more than ${MAX_PAGES} pages; the rest was not read`);
    cursors.add(cursor);
    return { nextCursor: cursor };
  };
  return {
    get raw() {
      return raw;
    },
    get notes() {
      return notes;
    },
    get ttlMs() {
      return ttlMs;
    },
    restart() {
      raw = [];
      notes = [];
      cursors = new Set();
      pages = new Set();
      count = 0;
      ttlMs = undefined;
    },
    take(page, modern) {
      count += 1;
      if (modern) ttlMs = Math.min(ttlMs ?? Number.POSITIVE_INFINITY, ttlOf(page));
      const listed = isJsonObject(page) ? own(page, "tools") : undefined;
      const tools: readonly unknown[] = Array.isArray(listed) ? listed : [];
      if (!Array.isArray(listed)) notes.push("a page of the tool list holds no list of tools");
      const names = JSON.stringify(
        tools.map((tool) => (isJsonObject(tool) ? (own(tool, "name") ?? null) : null)),
      );
      const repeated = tools.length > 0 && pages.has(names);
      if (!repeated) raw.push(...tools);
      pages.add(names);
      return {
        tools: repeated ? [] : tools.flatMap(shown),
        ...next(page, repeated),
        ...(modern ? { ttlMs: 0, cacheScope: "private" } : {}),
      };
    },
  };
}

/** What says nothing, or nonsense, is stale at once. */
function ttlOf(page: JsonValue): number {
  const ttl = isJsonObject(page) ? own(page, "ttlMs") : undefined;
  return typeof ttl === "number" && ttl > 0 ? Math.min(ttl, DAY_MS) : 0;
}

function shown(tool: unknown): JsonObject[] {
  if (!isJsonObject(tool)) return [];
  const name = own(tool, "name");
  const schema = own(tool, "inputSchema");
  // Security: the SDK prints names of tools it excludes, and their headers; nothing odd may get that far.
  if (typeof name !== "string" || name === "" || !isPlain(name) || !hasPlainHeaders(schema)) return [];
  return [{ name, inputSchema: schemaForSdk(schema) }];
}

function isPlain(text: string): boolean {
  return text.length <= MAX_SHOWN && printable(text, MAX_SHOWN) === text;
}

function hasPlainHeaders(schema: unknown): boolean {
  if (!isJsonObject(schema) || !mentionsHeader(schema)) return true;
  let plain = true;
  JSON.stringify(schema, (key, value: unknown) => {
    plain &&= isPlain(key) && (key !== "x-mcp-header" || typeof value !== "string" || isPlain(value));
    return value;
  });
  return plain;
}

/** The input schema when it asks for HTTP headers, else the emptiest one: the SDK needs no more. */
export function schemaForSdk(schema: unknown): JsonObject & { readonly type: "object" } {
  if (!isJsonObject(schema) || !mentionsHeader(schema)) return { type: "object" };
  const properties = own(schema, "properties");
  const usable = isJsonObject(properties) && Object.values(properties).every(isJsonObject);
  const { required: _required, properties: _properties, ...rest } = schema;
  return { ...rest, type: "object", ...(usable ? { properties } : {}) };
}

/** True when a schema holds an `x-mcp-header` anywhere. */
export function mentionsHeader(schema: unknown): boolean {
  try {
    return JSON.stringify(schema)?.includes('"x-mcp-header"') ?? false;
  } catch {
    return false;
  }
}
