// Owns how text of scripts and servers is made safe and short before a diagnostic shows it.

const MAX_SOURCE = 200;

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/** Cuts `text` to `max` UTF-16 units, never inside a surrogate pair, and marks the cut with an ellipsis. */
export function bounded(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text[max - 2] ?? "") ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

// Security: control and bidirectional characters could move a terminal's cursor or reorder what a reader sees.
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => (c === "\n" || c === "\t" ? c : " "));
}

/** Line and column of an offset; lines end at LF, as in an editor. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, Math.max(0, Math.min(offset, text.length)));
  let line = 1;
  let start = 0;
  for (let end = before.indexOf("\n"); end !== -1; end = before.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: before.length - start + 1 };
}

/** The line around an offset, at most 200 characters: of a longer line, the part around the offset. */
export function lineAround(text: string, offset: number): string {
  const at = Math.max(0, Math.min(offset, text.length));
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const line = text.slice(start, next === -1 ? undefined : next);
  if (line.length <= MAX_SOURCE) return printable(line);
  const from = Math.max(0, Math.min(at - start - MAX_SOURCE / 2, line.length - MAX_SOURCE));
  const cut = line.slice(from, from + MAX_SOURCE);
  return printable(`${from > 0 ? "…" : ""}${cut}${from + MAX_SOURCE < line.length ? "…" : ""}`);
}
