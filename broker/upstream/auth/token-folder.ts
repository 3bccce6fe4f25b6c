// Owns sign-ins on disk: one file per server in a folder that nobody else can read.
import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { createFileLock } from "../../audit/lock.ts";
import { CallgateError } from "../../../contract/error.ts";
import { printable } from "../printable.ts";
import type { TokenStore } from "./token-store.ts";

const MAX_BYTES = 1 << 20;
/** Longer than a refresh may take. */
const PATIENCE_MS = 60_000;

/**
 * Keeps sign-ins as files of mode 0600 in `folder`, which is made with mode 0700. Put it outside of any project.
 * A folder or file that others can read is not used: CONFIG_INVALID names it and says what to do.
 */
export function createTokenFolder(folder: string): TokenStore {
  const pathOf = (key: string): string =>
    join(folder, createHash("sha256").update(key).digest("hex").slice(0, 32));

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await refuseOthers(folder, "folder");
  }

  return {
    async load(key) {
      const path = `${pathOf(key)}.json`;
      try {
        await refuseOthers(folder, "folder");
        await refuseOthers(path, "file");
        return await readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async save(key, value) {
      const path = `${pathOf(key)}.json`;
      if (value === undefined) return rm(path, { force: true });
      await prepare();
      const fresh = `${path}.${randomUUID().slice(0, 8)}.tmp`;
      try {
        await writeDurably(fresh, value);
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true }).catch(() => {});
        throw error;
      }
    },
    async hold(key, work) {
      await prepare();
      using lock = createFileLock(`${pathOf(key)}.lock`, { patienceMs: PATIENCE_MS });
      return await lock.hold(work);
    },
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file: FileHandle = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text, "utf8");
    // A refresh token may be valid once: the next one must not be lost with the power.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Security: what others can read is no secret, and what others can write is not ours. */
async function refuseOthers(path: string, kind: "folder" | "file"): Promise<void> {
  const found = await lstat(path);
  const isRight = kind === "folder" ? found.isDirectory() : found.isFile();
  const name = printable(path, 300);
  if (!isRight) throw refused(`${name} is not a ${kind}`);
  if (kind === "file" && found.size > MAX_BYTES) throw refused(`${name} is larger than 1 MB`);
  // Windows has no such bits: its user folders are closed to others by default.
  if (process.platform === "win32") return;
  if (found.uid !== process.getuid?.()) throw refused(`${name} belongs to another user`);
  if ((found.mode & 0o077) !== 0) {
    const mode = kind === "folder" ? "700" : "600";
    throw refused(`${name} can be read or written by others; run chmod ${mode} on it, and sign in anew`);
  }
}

function refused(why: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `sign-ins are not used: ${why}`, {
    data: { path: "auth.store" },
  });
}
