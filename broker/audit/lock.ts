// Owns a lock between processes that the system releases when its holder dies.
import { closeSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";

export interface FileLock extends Disposable {
  /** Runs `work` while no other process holds the lock. Rejects when it is not free within `patienceMs`. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

const BUSY = 5;
const MAX_WAIT_MS = 10;

/**
 * Locks by the file `path`, which is made when it is missing, stays empty, and is never removed. Node has no locks of
 * files; SQLite has, and knows their pitfalls. For local file systems.
 */
export function createFileLock(path: string, options: { readonly patienceMs: number }): FileLock {
  touch(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  let prepared = false;

  async function take(): Promise<void> {
    for (let waited = 0, wait = 1; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      try {
        // Even this looks into the file, and so may find it locked.
        if (!prepared) database.exec("PRAGMA journal_mode = MEMORY");
        prepared = true;
        database.exec("BEGIN EXCLUSIVE");
        return;
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY) throw error;
        if (waited >= options.patienceMs) throw new Error(`another process holds it for ${waited} ms`);
      }
      await pause(wait);
      waited += wait;
    }
  }

  return {
    async hold(work) {
      await take();
      try {
        return await work();
      } finally {
        database.exec("ROLLBACK");
      }
    },
    [Symbol.dispose]() {
      database.close();
    },
  };
}

function touch(path: string): void {
  try {
    // Only a file made here may be closed here: closing any other would release the locks that this process has on it.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
