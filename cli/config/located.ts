// Owns a mistake in a file as a person reads it: file, line and column, the line itself, a caret.
import { isAbsolute, relative } from "node:path";
import { dim, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { UsageError } from "../usage-error.ts";
import { DocumentProblem, parseDocument, type Document, type Position } from "./document.ts";

const YAML = /\.ya?ml$/i;

export function located(file: string, position: Position, path: string, message: string): UsageError {
  const where = `${file}:${position.line}:${position.column}`;
  const source = visibleLine(position.source, 120);
  const caret = position.column <= 120 ? `${" ".repeat(position.column - 1)}^` : "";
  const detail: Text = dim(`  ${source}\n  ${caret}`);
  return new UsageError(`${where}: ${path === "" ? "" : `${path}: `}${message}`, detail);
}

/** YAML by the ending of the name, else JSONC. Throws UsageError with the place of the first mistake. */
export async function readDocument(text: string, file: string): Promise<Document> {
  const yaml = YAML.test(file);
  try {
    return yaml ? (await import("./yaml.ts")).parseYaml(text) : parseDocument(text);
  } catch (error) {
    // The parsers go into themselves for every level.
    if (error instanceof RangeError)
      throw new UsageError(`${visibleLine(file, 200)}: it is nested too deeply to be read`);
    if (!(error instanceof DocumentProblem)) throw error;
    throw located(file, error.position, "", `not valid ${yaml ? "YAML" : "JSON"}: ${error.message}`);
  }
}

/** Relative to where the command runs when it is below that. */
export function displayName(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") || isAbsolute(near) ? path : near;
}
