// Replaces a file in one step, so that a process that reads it meanwhile never sees half of it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes `contents` to `path` unless it is there already; readers see the old file or the new one. */
export function replaceFile(
  path: string,
  contents: Uint8Array,
  options: { readonly mode?: number } = {},
): void {
  const mode = options.mode ?? 0o644;
  try {
    if (readFileSync(path).equals(contents)) return;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, contents, { mode });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
