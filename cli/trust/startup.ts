// Owns what of a configuration a person agrees to: everything that decides what is started and where data is sent.
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { isDisabled, isEntry, type RawEntry } from "../servers/entry.ts";
import { readBounded } from "../whole-file.ts";

export interface Startup {
  /** Its place: the real folder, so that a project behind a link is one project, and the name in it. */
  readonly path: string;
  /** As written, without those that are disabled. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** Over the servers and the contents of their env files. */
  readonly sha256: string;
}

/** Said of a server, and of no consequence for what is started. */
const HARMLESS: ReadonlySet<string> = new Set([
  "disabled",
  "timeout",
  "protocolEra",
  "concurrency",
  "rateLimit",
]);
const MAX_ENV_FILE = 1 << 20;

/** Undefined when nothing would be started. */
export async function startupOf(loaded: Pick<LoadedConfig, "source">): Promise<Startup | undefined> {
  const { source } = loaded;
  if (source === undefined) return undefined;
  const entries = Object.entries(source.servers).filter(([, entry]) => !isDisabled(entry));
  if (entries.length === 0) return undefined;
  const folder = dirname(source.path);
  const parts: unknown[] = [];
  for (const [name, entry] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    parts.push([name, covered(entry), await envFileHash(entry, folder)]);
  return {
    path: join(await realpath(folder), basename(source.path)),
    servers: Object.fromEntries(entries),
    sha256: sha256(JSON.stringify(parts)),
  };
}

function covered(entry: unknown): unknown {
  if (!isEntry(entry)) return entry;
  return inOrder(Object.fromEntries(Object.entries(entry).filter(([key]) => !HARMLESS.has(key))));
}

/** Objects as lists of pairs in order of their names, so that equal meaning is equal text. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isEntry(value)) return value;
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { object: pairs.map(([key, part]) => [key, inOrder(part)]) };
}

/** A path that holds a variable leads out of the project; then the path alone is covered. */
async function envFileHash(entry: unknown, folder: string): Promise<string | null> {
  const path = isEntry(entry) ? (entry as RawEntry)["envFile"] : undefined;
  if (typeof path !== "string" || path.includes("${")) return null;
  try {
    return sha256(await readBounded(isAbsolute(path) ? path : resolve(folder, path), MAX_ENV_FILE));
  } catch {
    // It cannot be used, so its server is not started.
    return null;
  }
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
