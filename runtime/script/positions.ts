// Owns the way from a V8 stack back to lines and columns of the script as written.
import { WRAPPER } from "../../contract/compile.ts";
import type { NormalisedScript } from "./normalise.ts";

/** The file name a script is compiled under; nothing else in the isolate may use it. */
export const SCRIPT_FILE = "script.ts";

export interface ScriptFrame {
  /** From 1, in the script as written. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Bounded, without control characters; absent at the top level. */
  readonly functionName?: string;
}

const MAX_STACK = 64 * 1024;
const MAX_STACK_LINES = 400;
const MAX_FRAMES = 20;
const MAX_NAME = 80;
const MAX_SOURCE = 200;
const FRAME = /^\s*at (?:(.{1,300}?) \(|async )?(?:file:\/\/\/?)?script\.ts:(\d{1,9}):(\d{1,9})\)?$/;
const BRACKETED = /\[script\.ts:(\d{1,9}):(\d{1,9})\]$/;

/**
 * The frames of a V8 stack that lie in the script, innermost first, at most 20. The text is the guest's and may lie:
 * a forged frame can only name another line of the same script.
 */
export function scriptFrames(
  stack: string,
  script: Pick<NormalisedScript, "text" | "lineOffset">,
): readonly ScriptFrame[] {
  const frames: ScriptFrame[] = [];
  const starts = v8LineStarts(script.text);
  for (const row of stack.slice(0, MAX_STACK).split("\n", MAX_STACK_LINES)) {
    if (row.length > 1_000) continue;
    const match = FRAME.exec(row);
    const bracketed = match === null ? BRACKETED.exec(row) : null;
    const line = Number(match?.[2] ?? bracketed?.[1]) - WRAPPER.lines;
    const column = Number(match?.[3] ?? bracketed?.[2]);
    const start = starts[line - 1];
    if (!(line >= 1) || start === undefined) continue;
    const at = positionOf(script.text, start + column - 1);
    const functionName = match?.[1] === undefined ? "" : cleanName(match[1]);
    frames.push({
      line: at.line + script.lineOffset,
      column: at.column,
      ...(functionName === "" ? {} : { functionName }),
    });
    if (frames.length === MAX_FRAMES) break;
  }
  return frames;
}

/** One line of a script (from 1), bounded to 200 characters and without control characters; "" when there is none. */
export function sourceLine(script: string, line: number): string {
  const whole = script.split(/\r\n?|\n/, line)[line - 1] ?? "";
  const text = replaceUnprintable(whole.slice(0, MAX_SOURCE), " ");
  return whole.length > MAX_SOURCE ? `${text}…` : text;
}

/** V8 also ends a line at U+2028 and U+2029; authors and editors do not. */
function v8LineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/[\n\u2028\u2029]/g)) starts.push(match.index + 1);
  return starts;
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(0, offset));
  let line = 1;
  let start = 0;
  for (let end = before.indexOf("\n"); end !== -1; end = before.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: before.length - start + 1 };
}

function cleanName(name: string): string {
  return replaceUnprintable(name.replace(/^async /, ""), "").slice(0, MAX_NAME);
}

// Security: control and bidirectional characters could move a terminal's cursor or reorder what a reader sees.
function replaceUnprintable(text: string, by: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => (c === "\t" ? c : by));
}
