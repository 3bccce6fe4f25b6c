// Owns the proof that an audit file is the one that was written, or the first line that shows it is not.
import { createHash, type Hash } from "node:crypto";
import { CallgateError } from "../../contract/error.ts";
import type { JsonObject } from "../../contract/json.ts";
import { NO_LINE, parseLine, sha256, type ParsedLine } from "./line.ts";
import { readLines } from "./read.ts";

/** Bytes that a crash in the middle of a write left behind. */
export interface TornBytes {
  /** From 1. */
  readonly line: number;
  readonly bytes: number;
  /** The log went on after it, and says what stood here. */
  readonly recorded: boolean;
}

export interface AuditVerdict {
  readonly ok: boolean;
  /** Lines of the unbroken chain. */
  readonly lines: number;
  /** SHA-256 of its last line: keep it elsewhere to prove later that no line was cut off. */
  readonly head: string;
  /** The first line that is wrong. */
  readonly broken?: { readonly line: number; readonly reason: string };
  /** The first 100. */
  readonly torn: readonly TornBytes[];
}

/** A line of the log that is intact. */
export interface AuditLine {
  readonly n: number;
  readonly facts: JsonObject;
}

const MAX_TORN = 100;
const HEAD = /^[0-9a-f]{64}$/;

/**
 * Reads the whole file once, in memory of one line. Changed, missing, added and reordered lines break the chain. Lines
 * cut off its end do not: they are missed only when `head`, the hash of a line known to have been there, is given.
 * Throws CONFIG_INVALID when the file cannot be read or `head` is no hash.
 */
export async function verifyAudit(
  path: string,
  options: {
    readonly head?: string | undefined;
    readonly onLine?: ((line: AuditLine) => void) | undefined;
  } = {},
): Promise<AuditVerdict> {
  const wanted = options.head?.toLowerCase();
  if (wanted !== undefined && !HEAD.test(wanted))
    throw new CallgateError("CONFIG_INVALID", "head: expected the SHA-256 of a line, 64 hexadecimal digits");
  let last = { n: 0, hash: NO_LINE };
  let met = wanted === undefined || wanted === NO_LINE;
  let at = 0;
  let open: Garbage | undefined;
  const torn: TornBytes[] = [];
  const verdict = (reason?: string, line: number = at): AuditVerdict => ({
    ok: reason === undefined,
    lines: last.n,
    head: last.hash,
    ...(reason !== undefined && { broken: { line, reason } }),
    torn,
  });
  const note = (garbage: Garbage, recorded: boolean): void => {
    if (torn.length < MAX_TORN) torn.push({ line: garbage.line, bytes: garbage.bytes, recorded });
  };

  for await (const { bytes, ended, tooLong } of readLines(path)) {
    at += 1;
    if (tooLong) return verdict("is longer than any line of a log");
    const line = parseLine(bytes);
    if (line === undefined) {
      open ??= { line: at, bytes: 0, hash: createHash("sha256") };
      const all = ended ? Buffer.concat([bytes, LINE_FEED]) : bytes;
      open.bytes += all.length;
      open.hash.update(all);
      if (ended) continue;
      // Half a line at the very end is what a crash leaves; the next writer will say so in the log.
      if (open.line !== at) return verdict(NO_LINE_OF_A_LOG, open.line);
      note(open, false);
      open = undefined;
      continue;
    }
    const reason = problem(line, last, open);
    if (reason !== undefined) return verdict(reason, open?.line ?? at);
    if (open !== undefined) note(open, true);
    open = undefined;
    last = { n: line.n, hash: sha256(bytes) };
    met ||= last.hash === wanted;
    options.onLine?.({ n: line.n, facts: line.facts });
  }
  if (open !== undefined) return verdict(NO_LINE_OF_A_LOG, open.line);
  return met
    ? verdict()
    : verdict("is missing: no line has the given hash, the end was cut off or rewritten", at + 1);
}

interface Garbage {
  readonly line: number;
  bytes: number;
  readonly hash: Hash;
}

const LINE_FEED = Buffer.from("\n");
const NO_LINE_OF_A_LOG = "is no line of a log: it was changed, or cut in the middle";

function problem(
  line: ParsedLine,
  last: { readonly n: number; readonly hash: string },
  garbage: Garbage | undefined,
): string | undefined {
  const { type, bytes, sha256: digest } = line.facts;
  const records = type === "log.torn";
  if (garbage !== undefined && !records) return NO_LINE_OF_A_LOG;
  if (!line.intact) return "was changed";
  if (line.n > last.n + 1) return `comes too early: number ${line.n} after ${last.n}, lines are missing`;
  if (line.n < last.n + 1) return `is out of order: number ${line.n} after ${last.n}`;
  if (line.prev !== last.hash) return "does not follow the line before it: one of the two was replaced";
  if (!records) return undefined;
  if (garbage === undefined) return "tells of a torn line that is not there";
  return bytes === garbage.bytes && digest === garbage.hash.digest("hex")
    ? undefined
    : "is not the torn line that the log tells of";
}
