// Owns the file of configurations that a person has agreed to: by place, and by the hash of what they start.
import { open, rm, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { ownFolderOf, readBounded, replaceWhole } from "../whole-file.ts";

/** What is remembered of one agreement. */
interface Entry {
  readonly path: string;
  readonly sha256: string;
}

export interface TrustStore {
  readonly file: string;
  /** Of this place, newest last. Empty when the file cannot be read: then nothing was agreed to. */
  hashesOf(path: string): Promise<readonly string[]>;
  /** Rejects when it cannot be remembered. */
  add(path: string, sha256: string, signal: AbortSignal): Promise<void>;
  /** Resolves to whether there was anything to forget. */
  forget(path: string, signal: AbortSignal): Promise<boolean>;
}

const MAX_BYTES = 4 << 20;
const MAX_ENTRIES = 1_000;
/** Of one place: branches of a project that are switched between. */
const MAX_OF_PLACE = 16;
const LOCK_WAIT_MS = 20;
const LOCK_TRIES = 250;
/** Older locks were left by a process that died. */
const LOCK_STALE_MS = 10_000;

const shape = z.object({
  version: z.literal(1),
  trusted: z.array(z.object({ path: z.string().max(8_192), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** Entries in one JSON file, readable by its owner alone. */
export function createTrustStore(file: string): TrustStore {
  const change = async <T>(
    signal: AbortSignal,
    work: (entries: readonly Entry[]) => readonly [next: readonly Entry[], answer: T],
  ): Promise<T> => {
    await ownFolderOf(file);
    return await withLock(`${file}.lock`, signal, async () => {
      const [next, answer] = work(await load(file));
      const text = `${JSON.stringify({ version: 1, trusted: next }, null, 1)}\n`;
      await replaceWhole(file, text, { mode: 0o600 });
      return answer;
    });
  };
  return {
    file,
    hashesOf: async (path) => (await load(file)).filter((entry) => entry.path === path).map(hashOf),
    add: (path, sha256, signal) =>
      change(signal, (entries) => [bounded(entries, { path, sha256 }), undefined]),
    forget: (path, signal) =>
      change(signal, (entries) => {
        const rest = entries.filter((entry) => entry.path !== path);
        return [rest, rest.length < entries.length];
      }),
  };
}

function hashOf({ sha256 }: Entry): string {
  return sha256;
}

function bounded(entries: readonly Entry[], added: Entry): readonly Entry[] {
  const others = entries.filter(({ path }) => path !== added.path);
  const same = entries.filter(({ path, sha256 }) => path === added.path && sha256 !== added.sha256);
  return [...others, ...same.slice(1 - MAX_OF_PLACE), added].slice(-MAX_ENTRIES);
}

// Security: what cannot be read, or was written by something else, has agreed to nothing.
async function load(file: string): Promise<readonly Entry[]> {
  try {
    return shape.parse(JSON.parse((await readBounded(file, MAX_BYTES)).toString("utf8"))).trusted;
  } catch {
    return [];
  }
}

/** Two commands that remember something at once must not lose what the other wrote. */
async function withLock<T>(lock: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      await (await open(lock, "wx", 0o600)).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (tries === LOCK_TRIES)
        throw new Error(`${lock} is in the way: another process holds it`, { cause: error });
    }
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
    else await pause(LOCK_WAIT_MS, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true }).catch(() => {});
  }
}
