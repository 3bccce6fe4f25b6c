// Owns the writing of imported servers into a configuration: comments and formatting of the file stay.
import { readFile, realpath, stat, writeFile } from "node:fs/promises";
import { applyEdits, modify } from "jsonc-parser";
import { CONFIG_TEMPLATE } from "../config/template.ts";
import type { RawEntry } from "../servers/entry.ts";
import { fileProblem, UsageError } from "../usage-error.ts";
import { replaceWhole } from "../whole-file.ts";

/** The file as it was when the person was shown what would be added; undefined when there was none. */
export type Before = string | undefined;

export async function readBefore(path: string): Promise<Before> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Adds the servers below `key`. A file that is there is replaced as a whole and keeps its mode; one that changed since
 * `before` is left alone. Throws UsageError.
 */
export async function addServers(
  path: string,
  before: Before,
  key: "mcpServers" | "servers",
  servers: ReadonlyMap<string, RawEntry>,
): Promise<void> {
  const changed = (): never => {
    throw new UsageError("the configuration changed meanwhile; it was left as it is, try again");
  };
  try {
    const text = withServers(before ?? CONFIG_TEMPLATE, key, servers);
    if (before === undefined) {
      await writeFile(path, text, { flag: "wx" });
      return;
    }
    // A link stays a link to the file that is changed.
    const file = await realpath(path);
    const { mode } = await stat(file);
    const still = async (): Promise<void> => {
      if ((await readBefore(file)) !== before) changed();
    };
    await replaceWhole(file, text, { mode: mode & 0o777, still });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (before === undefined && (error as NodeJS.ErrnoException).code === "EEXIST") changed();
    throw new UsageError(`the configuration cannot be written: ${fileProblem(error)}`);
  }
}

/** The text with the servers added. */
export function withServers(
  written: string,
  key: "mcpServers" | "servers",
  servers: ReadonlyMap<string, RawEntry>,
): string {
  const mark = written.startsWith("\ufeff") ? "\ufeff" : "";
  let text = written.slice(mark.length);
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  for (const [name, entry] of servers)
    text = applyEdits(text, modify(text, [key, name], entry, { formattingOptions }));
  return mark + text;
}
