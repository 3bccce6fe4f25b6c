// Owns what the command line does with emitted content: says it on stderr, writes it to a folder.
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EmittedContent } from "../index.ts";
import { bytes, counted } from "./text/amount.ts";
import { dim, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";
import { fileProblem, UsageError } from "./usage-error.ts";

const MAX_SHOWN = 10;
/** Of media types whose last part is not what files are called by. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["text/plain", "txt"],
  ["application/octet-stream", "bin"],
]);

/** One line each: `emitted image/png, 12 KB`, with the file when there is one. */
export function emittedLines(content: readonly EmittedContent[], files: readonly string[]): readonly Text[] {
  const lines = content.slice(0, MAX_SHOWN).map((one, index): Text => {
    const file = files[index];
    const what = `emitted ${visibleLine(one.mimeType, 100)}, ${bytes(one.bytes)}`;
    return file === undefined ? [dim(what)] : [dim(`${what}: `), visibleLine(file, 400)];
  });
  const more = content.length - lines.length;
  return more > 0 ? [...lines, [dim(`and ${counted(more, "more file")}`)]] : lines;
}

/** Makes the folder before anything runs. Throws UsageError. */
export async function openFolder(cwd: string, folder: string): Promise<void> {
  try {
    await mkdir(resolve(cwd, folder), { recursive: true });
  } catch (error) {
    throw new UsageError(`cannot use --emit-dir ${visibleLine(folder)}: ${fileProblem(error)}`);
  }
}

/**
 * Writes each to a file of its own, `<run>-1.png` and so on, and never over another; resolves to their names. Security:
 * the names are made here; what a server or a script calls its content is no part of them.
 */
export async function writeEmitted(
  content: readonly EmittedContent[],
  place: { readonly cwd: string; readonly folder: string; readonly runId: string },
): Promise<{ readonly files: readonly string[]; readonly problem?: string }> {
  const files: string[] = [];
  try {
    for (const [index, { mimeType, data = "" }] of content.entries()) {
      const file = join(place.folder, `${place.runId.slice(0, 8)}-${index + 1}.${extensionOf(mimeType)}`);
      await writeFile(resolve(place.cwd, file), Buffer.from(data, "base64"), { flag: "wx" });
      files.push(file);
    }
    return { files };
  } catch (error) {
    return { files, problem: `what the script emitted cannot be written: ${fileProblem(error)}` };
  }
}

function extensionOf(mimeType: string): string {
  const type = mimeType.replace(/\s*;.*/, "").toLowerCase();
  const last = type.slice(type.indexOf("/") + 1);
  return EXTENSIONS.get(type) ?? (/^[a-z0-9]{1,8}$/.test(last) ? last : "bin");
}
