// Owns matching the regular expressions of a policy in linear time.
// Security: the texts come from scripts and servers, and the engine of the language backtracks; this one does not.
import { readRegex, type CharacterSet, type RegexNode } from "./regex-syntax.ts";

const MAX_PROGRAM = 2_000;
/** Longest text that is matched, in UTF-16 units; a longer one is not judged. */
export const MAX_REGEX_SUBJECT: number = 32_768;

type Step =
  | { readonly type: "set"; readonly set: CharacterSet }
  | { readonly type: "split"; readonly first: number; second: number }
  | { readonly type: "jump"; to: number }
  | { readonly type: "match" };

export interface SafeRegex {
  readonly program: readonly Step[];
  /** The engine of the language, for patterns that give it nothing to go back to. */
  readonly native: { readonly exact: RegExp; readonly loose: RegExp } | undefined;
}
/** Compiles a pattern that must cover the whole text; see `readRegex`. Throws SyntaxError with what was expected. */
export function parseRegex(source: string): SafeRegex {
  const program: Step[] = [];
  const tree = readRegex(source);
  emit(tree, program);
  push(program, { type: "match" });
  return { program, native: openRepeats(tree) <= 1 ? nativeOf(source) : undefined };
}

// Security: with one part of open length, and nothing but single characters repeated, a failed attempt has one place
// to go back to for each character: the time grows with the length only.
function openRepeats(node: RegexNode): number {
  if (node.type === "set") return 0;
  if (node.type === "repeat") return node.node.type !== "set" ? Infinity : node.min === node.max ? 0 : 1;
  return node.nodes.reduce((sum, part) => sum + openRepeats(part), 0);
}

function nativeOf(source: string): SafeRegex["native"] {
  try {
    return { exact: new RegExp(`^(?:${source})$`, "su"), loose: new RegExp(`^(?:${source})$`, "sui") };
  } catch {
    // The language refuses some escapes that are harmless here.
    return undefined;
  }
}

function push(program: Step[], step: Step): number {
  if (program.length >= MAX_PROGRAM)
    throw new SyntaxError("a simpler pattern; its repetitions make it too large");
  return program.push(step) - 1;
}

function emit(node: RegexNode, program: Step[]): void {
  if (node.type === "set") push(program, node);
  else if (node.type === "all") for (const part of node.nodes) emit(part, program);
  else if (node.type === "any") emitAny(node.nodes, program);
  else emitRepeat(node.node, node.min, node.max, program);
}

function emitAny(nodes: readonly RegexNode[], program: Step[]): void {
  const jumps: { to: number }[] = [];
  nodes.forEach((node, index) => {
    const split = { type: "split" as const, first: program.length + 1, second: -1 };
    if (index < nodes.length - 1) push(program, split);
    emit(node, program);
    const jump = { type: "jump" as const, to: -1 };
    if (index < nodes.length - 1) push(program, jump);
    jumps.push(jump);
    split.second = program.length;
  });
  for (const jump of jumps) jump.to = program.length;
}

function emitRepeat(node: RegexNode, min: number, max: number, program: Step[]): void {
  for (let i = 0; i < min; i++) emit(node, program);
  if (max === Number.POSITIVE_INFINITY) {
    const split = { type: "split" as const, first: program.length + 1, second: -1 };
    const loop = push(program, split);
    emit(node, program);
    push(program, { type: "jump", to: loop });
    split.second = program.length;
    return;
  }
  const splits: { second: number }[] = [];
  for (let i = min; i < max; i++) {
    const split = { type: "split" as const, first: program.length + 1, second: -1 };
    push(program, split);
    emit(node, program);
    splits.push(split);
  }
  for (const split of splits) split.second = program.length;
}

/**
 * True when the pattern covers the whole text. At most characters × program steps. `loose` also takes a character
 * for its upper or lower case twin. The text must be at most MAX_REGEX_SUBJECT long.
 */
export function matchRegex({ program, native }: SafeRegex, text: string, loose: boolean = false): boolean {
  if (native !== undefined) return native[loose ? "loose" : "exact"].test(text);
  const marks = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  follow(program, 0, current, marks, 0);
  let position = 0;
  for (const character of text) {
    position++;
    const points = loose ? twins(character) : [character.codePointAt(0)!];
    const next: number[] = [];
    for (const at of current) {
      const step = program[at]!;
      if (step.type === "set" && points.some((point) => contains(step.set, point))) {
        follow(program, at + 1, next, marks, position);
      }
    }
    if (next.length === 0) return false;
    current = next;
  }
  return current.some((at) => program[at]!.type === "match");
}

function twins(character: string): number[] {
  return [character, character.toLowerCase(), character.toUpperCase()].map((twin) => twin.codePointAt(0)!);
}

/** Adds every step that is reached from `from` without a character, each once per `mark`. */
export function follow(
  program: readonly Step[],
  from: number,
  into: number[],
  marks: Int32Array,
  mark: number,
): void {
  const waiting = [from];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (marks[at] === mark) continue;
    marks[at] = mark;
    const step = program[at]!;
    if (step.type === "jump") waiting.push(step.to);
    else if (step.type === "split") waiting.push(step.second, step.first);
    else into.push(at);
  }
}

export function contains({ negated, ranges }: CharacterSet, point: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (point >= ranges[i]! && point <= ranges[i + 1]!) return !negated;
  }
  return negated;
}
