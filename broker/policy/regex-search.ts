// Owns finding the parts of a text that a pattern of a policy matches, in linear time.
import { contains, follow, type SafeRegex } from "./regex.ts";

/** UTF-16 offsets; `end` is the first one after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Every part of the text that lies in some match, in order; matches that overlap come as one. At most characters ×
 * program steps, whatever the text. Empty matches are none.
 */
export function findRegex({ program }: SafeRegex, text: string): Span[] {
  const marks = new Int32Array(program.length).fill(-1);
  const spans: Span[] = [];
  // Threads of the pattern and where each began, earliest first: of two in one state only the earlier can matter.
  let states: number[] = [];
  let starts: number[] = [];
  let offset = 0;
  let position = 0;
  for (const character of text) {
    const before = states.length;
    follow(program, 0, states, marks, position);
    for (let i = before; i < states.length; i++) starts.push(offset);
    const point = character.codePointAt(0)!;
    offset += character.length;
    position++;
    const next: number[] = [];
    const nextStarts: number[] = [];
    let matched = -1;
    for (let i = 0; i < states.length; i++) {
      const step = program[states[i]!]!;
      if (step.type !== "set" || !contains(step.set, point)) continue;
      const from = next.length;
      follow(program, states[i]! + 1, next, marks, position);
      for (let j = from; j < next.length; j++) {
        nextStarts.push(starts[i]!);
        if (matched === -1 && program[next[j]!]!.type === "match") matched = starts[i]!;
      }
    }
    if (matched !== -1) join(spans, matched, offset);
    states = next;
    starts = nextStarts;
  }
  return spans;
}

/** Ends come in order, beginnings need not. */
function join(spans: Span[], start: number, end: number): void {
  let from = start;
  for (let last = spans.at(-1); last !== undefined && last.end > from; last = spans.at(-1)) {
    from = Math.min(from, last.start);
    spans.pop();
  }
  spans.push({ start: from, end });
}
