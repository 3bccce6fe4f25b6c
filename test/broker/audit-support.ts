// Entries and files for the tests of the audit log.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AuditEntry } from "../../broker/audit/entry.ts";
import { createAuditFile } from "../../broker/audit/file.ts";
import { sha256 } from "../../broker/audit/line.ts";

/** A folder, and its removal. */
export function makeFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "callgate-audit-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder that is removed after the test. */
export function folder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}

export function entry(seq: number, text: string = "fine"): AuditEntry {
  return {
    type: "call.decided",
    at: "2026-01-02T03:04:05.678Z",
    runId: "run",
    seq,
    server: "files",
    tool: "read",
    effect: "allow",
    rules: ["reads"],
    reason: text,
    labels: [],
  };
}

/** Appends `count` entries and closes. */
export async function write(path: string, count: number, from: number = 1): Promise<void> {
  await using file = await createAuditFile(path);
  await Promise.all(Array.from({ length: count }, (_, index) => file.append(entry(from + index))));
}

export function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").filter(Boolean);
}

/** A log of `count` lines as one buffer. */
export async function logOf(count: number): Promise<Buffer> {
  const path = join(folder(), "audit.jsonl");
  await write(path, count);
  return readFileSync(path);
}

/** A file with these bytes. */
export function fileOf(bytes: Buffer | string): string {
  const path = join(folder(), "audit.jsonl");
  writeFileSync(path, bytes);
  return path;
}

/** The entries of a log, without the chain. */
export function entriesOf(path: string): readonly Record<string, unknown>[] {
  return linesOf(path).map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function hashOf(line: string): string {
  return sha256(line);
}
