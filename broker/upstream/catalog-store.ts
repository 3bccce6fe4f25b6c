// Owns the port to a memory of tool lists that outlives the process, and by what an entry of it is found.
import { createHash } from "node:crypto";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { McpServerConfig } from "./config.ts";
import type { Era } from "./era.ts";

/** What is remembered of one server. Security: as untrusted as what the server itself sends. */
export interface CatalogEntry {
  /** Usable definitions, without the name of the server. */
  readonly tools: readonly JsonObject[];
  /** What was said of tools that were dropped or repaired. */
  readonly notes: readonly string[];
  readonly era: Era;
  /** What a server of the newer era answered to `server/discover`: with it no negotiation is needed. */
  readonly discover?: JsonObject | undefined;
  /** Of the question, ms since 1970. */
  readonly listedAt: number;
  /** How long the server says that the list holds, ms; null when it does not say. */
  readonly ttlMs: number | null;
  /** The server has said since that its list changed. */
  readonly changed: boolean;
}

/** Where tool lists are kept between processes. Neither method ever rejects. */
export interface CatalogStore {
  /** Undefined when there is none, or none that can be used. */
  load(key: string): Promise<CatalogEntry | undefined>;
  save(key: string, entry: CatalogEntry): Promise<void>;
  /** Why nothing can be kept, when that is so. */
  notes(): readonly string[];
}

/** A memory of tool lists, and how an upstream uses it. */
export interface CatalogMemory {
  readonly store: CatalogStore;
  /** How long a list holds whose server does not say, ms. @defaultValue 86 400 000 */
  readonly ttlMs?: number | undefined;
  /** Reads every list anew. @defaultValue false */
  readonly refresh?: boolean | undefined;
  /** ms since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** How long a list holds whose server does not say, and how long one holds at most, whatever its server says. */
export const DAY_MS = 86_400_000;
const FORMAT = 1;

/**
 * Where a server's list is kept: a digest of everything that says which server it is and whom it takes us for.
 * Security: `cacheScope: "public"` widens nothing. A server's word alone must not show the list of one authorization
 * context to another, so every list is kept as a private one. A digest, since commands, URLs and headers hold secrets.
 */
export function catalogKey(config: McpServerConfig, authContext: string): string {
  // Everything but what only says how it is called: a key that is new to this line must not be left out.
  const { timeout: _t, concurrency: _c, rateLimit: _r, disabled: _d, env, headers, ...rest } = config;
  const parts = [inOrder(rest), inOrder(env), inOrder(headers)];
  return createHash("sha256")
    .update(JSON.stringify([FORMAT, ...parts.map((part) => part ?? null), authContext]))
    .digest("hex");
}

function inOrder(record: Readonly<Record<string, unknown>> | undefined): unknown {
  return record && Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** When a list read at `at` stops to hold, ms since 1970. */
export function heldUntil(at: number, ttlMs: number | null, otherwise: number): number {
  return at + Math.max(0, ttlMs === null ? otherwise : Math.min(ttlMs, DAY_MS));
}

export function withoutServer(tools: readonly ToolDefinition[]): readonly JsonObject[] {
  return tools.map(({ server: _server, ...parts }) => parts as unknown as JsonObject);
}
