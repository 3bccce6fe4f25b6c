// Owns showing how a tool's definition differs from the one that was accepted, with nothing in it that hides.
import { isJsonObject, type JsonValue } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { HIDDEN } from "./plain-text.ts";

/** One line of a difference; `…` stands for lines that are the same, or that are too many. */
export interface DiffLine {
  readonly sign: "+" | "-" | " " | "…";
  readonly text: string;
}

/** The parts of a definition that a pin covers. */
export const PINNED_PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;

const WIDTH = 160;
const CONTEXT = 2;
const MAX_SHOWN = 400;
const MAX_LINES = 20_000;
const MAX_WORK = 4_000_000;

/** At most 400 lines, of 160 characters; longer lines are wrapped, never cut. Invisible characters become escapes. */
export function diffDefinitions(
  before: ToolDefinition | undefined,
  after: ToolDefinition,
): readonly DiffLine[] {
  const parts = PINNED_PARTS.filter((part) => before === undefined || differs(part, before, after));
  const all = compare(before === undefined ? [] : linesOf(before, parts), linesOf(after, parts));
  const shown = withContext(all);
  if (shown.length <= MAX_SHOWN) return shown;
  const more = shown.length - MAX_SHOWN;
  return [...shown.slice(0, MAX_SHOWN), { sign: "…", text: `${more} more lines are not shown` }];
}

/** Which parts differ: `description and inputSchema`. */
export function changedParts(before: ToolDefinition, after: ToolDefinition): string {
  const parts = PINNED_PARTS.filter((part) => differs(part, before, after));
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

type Part = (typeof PINNED_PARTS)[number];

function differs(part: Part, before: ToolDefinition, after: ToolDefinition): boolean {
  return text(before[part]) !== text(after[part]);
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(sorted(value as JsonValue));
}

function linesOf(tool: ToolDefinition, parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    const value = tool[part];
    if (value === undefined) return [];
    const whole = typeof value === "string" ? value : JSON.stringify(sorted(value as JsonValue), null, 2);
    const lines = whole.split("\n", MAX_LINES).flatMap((line) => wrap(line.replace(HIDDEN, escape)));
    return [`${part}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** The value with the keys of every object in order. */
export function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => [key, sorted(value[key] as JsonValue)] as const);
  return Object.fromEntries(entries);
}

function escape(character: string): string {
  const code = character.codePointAt(0) as number;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

function wrap(line: string): readonly string[] {
  if (line.length <= WIDTH) return [line];
  const characters = [...line];
  const rows: string[] = [];
  for (let at = 0; at < characters.length; at += WIDTH) rows.push(characters.slice(at, at + WIDTH).join(""));
  return rows;
}

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign: " ", text: line }));
  return [
    ...same(after.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(after.slice(after.length - end)),
  ];
}

/** By the longest common subsequence; where that is too much work, everything old and then everything new. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (line: string): DiffLine => ({ sign: "-", text: line });
  const added = (line: string): DiffLine => ({ sign: "+", text: line });
  if (before.length * after.length > MAX_WORK) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      lines.push({ sign: " ", text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(old));
      i += 1;
    } else {
      lines.push(added(fresh as string));
      j += 1;
    }
  }
  return lines;
}

function withContext(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>();
  lines.forEach(({ sign, text: line }, at) => {
    // The name of each part stays, so that a change is never without its place.
    if (sign === " " && !line.startsWith(" ")) near.add(at);
    if (sign === " ") return;
    for (let by = -CONTEXT; by <= CONTEXT; by += 1) near.add(at + by);
  });
  const shown: DiffLine[] = [];
  let skipped = 0;
  lines.forEach((line, at) => {
    if (near.has(at)) {
      if (skipped > 0) shown.push({ sign: "…", text: `${skipped} same` });
      skipped = 0;
      shown.push(line);
    } else skipped += 1;
  });
  if (skipped > 0) shown.push({ sign: "…", text: `${skipped} same` });
  return shown;
}
