// Owns how errors and diagnostics read on a terminal: code, message, place, source line with a caret, suggestion.
import type { Diagnostic, RunError, RunResult } from "../index.ts";
import { whatWasDone } from "./call-table.ts";
import { counted } from "./text/amount.ts";
import { errorLine, warningLine } from "./text/headline.ts";
import { cyan, dim, red, type Text } from "./text/styled.ts";
import { visible, visibleLine } from "./text/visible.ts";

const MAX_DIAGNOSTICS = 20;
const MAX_MESSAGE = 4_000;
const MAX_SOURCE = 160;
const MAX_HELP_LINES = 20;
/** What to do, where the message cannot say it for the command line. */
const HELP: Readonly<Partial<Record<RunError["code"], string>>> = {
  SCRIPT_TOO_LARGE:
    "let a tool read the data instead of writing it into the script, or raise the limit, such as --limit scriptBytes=1mb",
};

/** A failed run: what went wrong and where, then what had already been done. */
export function failure(result: RunResult, name: string): readonly Text[] {
  const { error } = result;
  if (error === undefined) return [];
  return [...runError(error, name), ...whatWasDone(result.calls)];
}

function runError(error: RunError, name: string): readonly Text[] {
  const { diagnostics = [] } = error;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  // The first diagnostic is the error itself, told with more.
  if (errors.length > 0) return diagnosticList([...errors, ...others], name);
  return [
    errorLine(error.code, bounded(named(error))),
    ...place(name, error),
    ...(error.stack === undefined || error.stack.split("\n").length < 2
      ? []
      : error.stack
          .split("\n")
          .slice(0, 10)
          .map((frame) => dim(`  ${visibleLine(frame.trim(), 200)}`))),
    ...help(HELP[error.code] ?? ""),
    ...(error.retryable === true ? [dim("  the same run may succeed when tried again")] : []),
  ];
}

/** `TypeError: …`, as the script's author knows it. */
function named({ code, name, message }: RunError): string {
  const tells =
    code === "SCRIPT_THREW" && name !== undefined && name !== "Error" && !message.startsWith(name);
  return tells ? `${visibleLine(name, 60)}: ${message}` : message;
}

/** Diagnostics in full, the first 20. */
export function diagnosticList(diagnostics: readonly Diagnostic[], name: string): readonly Text[] {
  const shown = diagnostics.slice(0, MAX_DIAGNOSTICS).flatMap((one) => diagnostic(one, name));
  const more = diagnostics.length - MAX_DIAGNOSTICS;
  return more > 0 ? [...shown, dim(`and ${more} more`)] : shown;
}

function diagnostic(one: Diagnostic, name: string): readonly Text[] {
  const head = one.severity === "error" ? errorLine : warningLine;
  return [head(one.code, bounded(one.message)), ...place(name, one), ...help(one.suggestion ?? "")];
}

/** A suggestion of several lines stays below the first. */
function help(suggestion: string): readonly Text[] {
  if (suggestion === "") return [];
  const [first = "", ...more] = suggestion.split("\n");
  const rows = more.slice(0, MAX_HELP_LINES).map((line): Text => `        ${visibleLine(line, 400)}`);
  const left = more.length - rows.length;
  return [
    [cyan("  help: "), visibleLine(first, 400)],
    ...rows,
    ...(left > 0 ? [dim(`        and ${counted(left, "more line")}`)] : []),
  ];
}

function bounded(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

function place(
  name: string,
  at: { readonly line?: number; readonly column?: number; readonly source?: string },
): readonly Text[] {
  const { line, column, source } = at;
  if (line === undefined) return [];
  const where = column === undefined ? `${line}` : `${line}:${column}`;
  const head = dim(`  --> ${visibleLine(name)}:${where}`);
  if (source === undefined || source === "") return [head];
  const gutter = `${line} | `;
  return [head, ["  ", dim(gutter), ...excerpt(source, column, gutter.length)]];
}

/** The source line around the column, and a caret below it that stays in place whatever was escaped before it. */
function excerpt(source: string, column: number | undefined, indent: number): readonly Text[] {
  const at = Math.min(Math.max(0, (column ?? 1) - 1), source.length);
  const from = at > MAX_SOURCE - 40 ? at - 80 : 0;
  const before = oneLine(source.slice(from, at));
  const after = oneLine(source.slice(at, from + MAX_SOURCE));
  const lead = from > 0 ? "…" : "";
  const tail = from + MAX_SOURCE < source.length ? "…" : "";
  const text = `${lead}${before}${after}${tail}`;
  if (column === undefined) return [text];
  return [text, "\n  ", " ".repeat(indent + lead.length + before.length), red("^")];
}

function oneLine(text: string): string {
  return visible(text.replaceAll("\t", " ").replaceAll("\n", " "));
}
