// Owns the folder of remembered tool lists: private, bounded, and safe to share between processes.
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entryText, MAX_ENTRY_BYTES, parseEntry } from "./catalog-entry.ts";
import type { CatalogStore } from "./catalog-store.ts";
import { printable } from "./printable.ts";

/** All entries together, bytes; the oldest ones go first. */
const MAX_FOLDER_BYTES = 64 << 20;
const MAX_FILES = 2_000;
const ENTRY = /^[0-9a-f]{64}\.json$/;
const DRAFT = /^[0-9a-f]{64}\.json\.[0-9a-f]{8}\.tmp$/;
/** A draft this old belongs to a process that died. */
const DRAFT_MS = 3_600_000;
const GROUP_OR_OTHERS_WRITE = 0o022;

export interface CatalogFilesOptions {
  /** All entries together, bytes. @defaultValue 64 MiB */
  readonly folderBytes?: number;
}

/**
 * Tool lists as files of one folder, which is made when the first one is kept. Whatever else lies there is left alone;
 * an entry that is not ours, or not whole, counts as none and is replaced by the next list.
 */
export function createCatalogFiles(folder: string, options: CatalogFilesOptions = {}): CatalogStore {
  const limit = options.folderBytes ?? MAX_FOLDER_BYTES;
  const pathOf = (key: string): string => join(folder, `${key}.json`);
  let ready: Promise<boolean> | undefined;
  let unkept: string | undefined;

  /** Security: in a folder that others can write to, they could plant what a gate shows to models. */
  async function usable(): Promise<boolean> {
    const found = await lstat(folder).catch(() => undefined);
    if (found === undefined) return false;
    if (found.isDirectory() && isOurs(found)) return true;
    unkept = "it is a link, not a folder, or others can write to it";
    return false;
  }

  async function prepare(): Promise<boolean> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return usable();
  }

  async function write(key: string, text: string): Promise<void> {
    const path = pathOf(key);
    const draft = `${path}.${randomUUID().slice(0, 8)}.tmp`;
    try {
      await writeFile(draft, text, { flag: "wx", mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Removes the entries kept longest ago until the rest fits, and drafts of processes that died. */
  async function makeRoom(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => ENTRY.test(name) || DRAFT.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const found = await lstat(join(folder, name)).catch(() => undefined);
        return { name, bytes: found?.size ?? 0, at: found?.mtimeMs ?? 0 };
      }),
    );
    const forget = (name: string): Promise<void> => rm(join(folder, name), { force: true }).catch(() => {});
    let bytes = 0;
    let count = 0;
    for (const { name, bytes: size, at } of files.toSorted((a, b) => b.at - a.at)) {
      if (DRAFT.test(name)) {
        if (Date.now() - at > DRAFT_MS) await forget(name);
        continue;
      }
      bytes += size;
      count += 1;
      if (bytes > limit || count > MAX_FILES) await forget(name);
    }
  }

  return {
    async load(key) {
      try {
        ready ??= usable();
        if (!(await ready)) return undefined;
        const text = await readOwn(pathOf(key));
        return text === undefined ? undefined : parseEntry(key, text);
      } catch {
        return undefined;
      }
    },
    async save(key, entry) {
      const text = entryText(key, entry);
      try {
        if (!(await prepare())) return;
        ready = undefined;
        if (text === undefined) {
          await rm(pathOf(key), { force: true });
          return;
        }
        await write(key, text);
        unkept = undefined;
        await makeRoom();
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        unkept = code ?? message;
      }
    },
    notes: () =>
      unkept === undefined
        ? []
        : [`tool lists cannot be kept in ${printable(folder, 200)}: ${printable(unkept, 200)}`],
  };
}

/** The text of a file that only we can have written; undefined for any other. */
async function readOwn(path: string): Promise<string | undefined> {
  // Security: never through a link, and never waiting on a pipe that somebody put there.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags);
  try {
    const found = await file.stat();
    if (!found.isFile() || !isOurs(found) || found.size > MAX_ENTRY_BYTES) return undefined;
    const bytes = Buffer.alloc(found.size);
    const { bytesRead } = await file.read(bytes, 0, found.size, 0);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function isOurs(found: Stats): boolean {
  // Windows has no such numbers; there the folder is as private as the profile it lies in.
  if (process.getuid === undefined) return true;
  return found.uid === process.getuid() && (found.mode & GROUP_OR_OTHERS_WRITE) === 0;
}
