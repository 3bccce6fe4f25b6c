// Owns the audit log in a file: JSON Lines, each naming the hash of the line before it, only ever appended to.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { CallgateError } from "../../contract/error.ts";
import { quoted } from "../plain-text.ts";
import type { AuditEntry, AuditSink } from "./entry.ts";
import { formatLine, sha256, type TornLine } from "./line.ts";
import { createFileLock, type FileLock } from "./lock.ts";
import { NoAuditLog, readTail } from "./tail.ts";

export interface AuditFile extends AuditSink, AsyncDisposable {
  append(entry: AuditEntry): Promise<void>;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly kept: () => void;
  readonly lost: (error: unknown) => void;
}

interface Head {
  readonly n: number;
  readonly hash: string;
  /** Of the file, bytes. */
  readonly size: number;
}

const PATIENCE_MS = 5_000;

/**
 * Opens or makes (mode 0600) the file and goes on with its chain. Gates and processes of one machine may share it: they
 * take turns by a lock on `<path>.lock`. An append settles once the system has the line; a call that may have an
 * effect, an answer of a person and the end of a run also wait for the disk. After one failure every append fails.
 * Throws CONFIG_INVALID when the file cannot be opened or is no audit log.
 */
export async function createAuditFile(
  path: string,
  options: { readonly clock?: () => number } = {},
): Promise<AuditFile> {
  let lock: FileLock | undefined;
  let handle: FileHandle | undefined;
  try {
    lock = createFileLock(`${path}.lock`, { patienceMs: PATIENCE_MS });
    // Security: O_APPEND, so that no line can be written over another.
    handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
    const chain = createChain(handle, options.clock ?? Date.now);
    await lock.hold(() => chain.find());
    return createWriter(handle, lock, chain);
  } catch (error) {
    lock?.[Symbol.dispose]();
    await handle?.close();
    const why = error instanceof NoAuditLog ? error.message : reasonOf(error);
    const text = `audit.file: ${quoted(path, 200)} cannot be used: ${why}`;
    throw new CallgateError("CONFIG_INVALID", text, { data: { path: "audit.file" }, cause: error });
  }
}

function createWriter(handle: FileHandle, lock: FileLock, chain: Chain): AuditFile {
  let waiting: Waiting[] = [];
  let working: Promise<void> | undefined;
  let broken: Error | undefined;
  let closed: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        if (broken !== undefined) throw broken;
        await lock.hold(() => chain.write(batch.map(({ entry }) => entry)));
        if (batch.some(({ entry }) => isBarrier(entry))) await handle.datasync();
        for (const { kept } of batch) kept();
      } catch (error) {
        // Security: what came of half a write is unknown; nothing is written after it by this process.
        broken ??= new Error(`the audit file cannot be written: ${reasonOf(error)}`, { cause: error });
        for (const { lost } of batch) lost(broken);
      }
    }
    working = undefined;
  }

  return {
    append(entry) {
      if (closed !== undefined) return Promise.reject(new Error("the audit file is closed"));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ entry, kept: resolve, lost: reject });
      // A turn later, so that what one call says at once becomes one write.
      working ??= Promise.resolve().then(work);
      return promise;
    },
    [Symbol.asyncDispose]() {
      closed ??= (async () => {
        await working;
        lock[Symbol.dispose]();
        await handle.close();
      })();
      return closed;
    },
  };
}

interface Chain {
  /** Where the file ends now. */
  find(): Promise<Head>;
  write(entries: readonly AuditEntry[]): Promise<void>;
}

/** To be used while the lock is held. */
function createChain(handle: FileHandle, clock: () => number): Chain {
  let head: Head | undefined;
  let opening = "";

  async function find(): Promise<Head> {
    const { size } = await handle.stat();
    if (head?.size === size) return head;
    // Security: lines that were kept are gone; going on would hide it.
    if (head !== undefined && size < head.size) throw new Error("somebody made it shorter");
    const tail = await readTail(handle, size);
    opening = tail.ending;
    head = { n: tail.n, hash: tail.hash, size };
    if (tail.torn !== undefined) {
      const { torn } = tail;
      const at = new Date(clock()).toISOString();
      const line: TornLine = { type: "log.torn", at, bytes: torn.length, sha256: sha256(torn) };
      await extend([line]);
    }
    return head;
  }

  async function extend(facts: readonly { readonly at: string }[]): Promise<void> {
    let { n, hash, size } = head as Head;
    let text = opening;
    for (const one of facts) {
      n += 1;
      const line = formatLine(n, hash, one);
      hash = sha256(line);
      text += `${line}\n`;
    }
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, from);
      from += bytesWritten;
    }
    size += bytes.length;
    opening = "";
    head = { n, hash, size };
  }

  return {
    find,
    async write(entries) {
      await find();
      await extend(entries);
    },
  };
}

/** Whether the entry must be on the disk before what follows from it happens. */
function isBarrier(entry: AuditEntry): boolean {
  return (
    entry.type === "call.approval" || entry.type === "run.end" || (entry.type === "call.sent" && !entry.reads)
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(typeof code === "string" && code !== "ERR_SQLITE_ERROR" ? code : message).slice(0, 200);
}
