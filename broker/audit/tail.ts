// Owns finding where an audit file goes on: its last line, and what a crash left after it.
import type { FileHandle } from "node:fs/promises";
import { MAX_LINE_BYTES, NO_LINE, parseLine, sha256 } from "./line.ts";

export interface Tail {
  /** Of the last line; 0 when there is none. */
  readonly n: number;
  /** SHA-256 of the last line. */
  readonly hash: string;
  /** What has to be written before the next line: a line feed when the last one is missing. */
  readonly ending: "" | "\n";
  /** Bytes after the last line that are no line, with their ending. */
  readonly torn: Buffer | undefined;
}

/** The file is no audit log. */
export class NoAuditLog extends Error {}

const CHUNK = 64 << 10;
const LINE_FEED = 0x0a;
const FIRST = Buffer.from('{"n":1,"at":"');

/** Reads backwards, no more than it needs. Throws NoAuditLog when no line ends the file. */
export async function readTail(handle: FileHandle, size: number): Promise<Tail> {
  let bytes = Buffer.alloc(0);
  let start = size;
  for (;;) {
    const found = lastLine(bytes, start === 0);
    if (found !== undefined) return found;
    if (start === 0) return withoutLine(bytes);
    if (bytes.length > MAX_LINE_BYTES) throw new NoAuditLog("its end holds no line of an audit log");
    const length = Math.min(start, Math.max(CHUNK, bytes.length));
    const chunk = Buffer.alloc(length);
    const { bytesRead } = await handle.read(chunk, 0, length, start - length);
    if (bytesRead !== length) throw new Error("the file became shorter while it was read");
    bytes = Buffer.concat([chunk, bytes]);
    start -= length;
  }
}

function lastLine(bytes: Buffer, whole: boolean): Tail | undefined {
  let end = bytes.length;
  while (end > 0) {
    const to = bytes[end - 1] === LINE_FEED ? end - 1 : end;
    const from = to === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, to - 1) + 1;
    if (from === 0 && !whole) return undefined;
    const line = bytes.subarray(from, to);
    const parsed = parseLine(line);
    if (parsed !== undefined) {
      const ending = bytes.at(-1) === LINE_FEED ? "" : "\n";
      const torn =
        end === bytes.length ? undefined : Buffer.concat([bytes.subarray(end), Buffer.from(ending)]);
      return { n: parsed.n, hash: sha256(line), ending, torn };
    }
    end = from;
  }
  return undefined;
}

function withoutLine(bytes: Buffer): Tail {
  const common = Math.min(bytes.length, FIRST.length);
  if (!bytes.subarray(0, common).equals(FIRST.subarray(0, common)))
    throw new NoAuditLog("it exists and is no audit log");
  const ending = bytes.length === 0 || bytes.at(-1) === LINE_FEED ? "" : "\n";
  const torn = bytes.length === 0 ? undefined : Buffer.concat([bytes, Buffer.from(ending)]);
  return { n: 0, hash: NO_LINE, ending, torn };
}
