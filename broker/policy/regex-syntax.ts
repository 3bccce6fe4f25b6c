// Owns reading the regular expressions of a policy into a tree: a subset that needs no backtracking.

const MAX_PATTERN = 500;
const MAX_DEPTH = 30;

export interface CharacterSet {
  readonly negated: boolean;
  /** Inclusive code point ranges: from, to, from, to … */
  readonly ranges: readonly number[];
}

export type RegexNode =
  | { readonly type: "set"; readonly set: CharacterSet }
  | { readonly type: "all"; readonly nodes: readonly RegexNode[] }
  | { readonly type: "any"; readonly nodes: readonly RegexNode[] }
  | { readonly type: "repeat"; readonly node: RegexNode; readonly min: number; readonly max: number };
const DIGIT = [0x30, 0x39];
const WORD = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const SPACE = [
  [9, 13, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029],
  [0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff],
].flat();
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["f", 12],
  ["v", 11],
  ["0", 0],
]);
/**
 * Reads a pattern that must cover the whole text. Known: literals, `.` (newlines too), classes, `\d \w \s` and
 * their opposites, groups, `|`, `* + ? {n,m}`, `^` and `$` at the ends. Not known: look-around, back-references,
 * `\b`, `\p`. Throws SyntaxError with what was expected.
 */
export function readRegex(source: string): RegexNode {
  if (source.length > MAX_PATTERN) throw new SyntaxError(`a pattern of at most ${MAX_PATTERN} characters`);
  const inner = source.replace(/^\^/, "").replace(/^((?:[^\\]|\\.)*)\$$/s, "$1");
  const reader = new Reader(inner);
  const node = readAlternatives(reader, 0);
  if (reader.peek() !== undefined) throw new SyntaxError('a pattern without an unmatched ")"');
  // Security: elsewhere "^a|b$" means "starts with a, or ends with b"; nobody may believe it does so here.
  if (node.type === "any" && inner !== source)
    throw new SyntaxError("a group around the alternatives: ^(?:a|b)$");
  return node;
}

class Reader {
  readonly #characters: readonly string[];
  #at = 0;
  constructor(source: string) {
    this.#characters = [...source];
  }
  peek(ahead: number = 0): string | undefined {
    return this.#characters[this.#at + ahead];
  }
  next(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new SyntaxError("a complete pattern; this one ends too early");
    return character;
  }
  eat(text: string): boolean {
    const found = this.#characters.slice(this.#at, this.#at + text.length).join("") === text;
    if (found) this.#at += text.length;
    return found;
  }
  rest(length: number): string {
    return this.#characters.slice(this.#at, this.#at + length).join("");
  }
}

function readAlternatives(reader: Reader, depth: number): RegexNode {
  if (depth > MAX_DEPTH) throw new SyntaxError(`a pattern with groups at most ${MAX_DEPTH} deep`);
  const nodes = [readSequence(reader, depth)];
  while (reader.eat("|")) nodes.push(readSequence(reader, depth));
  return nodes.length === 1 ? nodes[0]! : { type: "any", nodes };
}

function readSequence(reader: Reader, depth: number): RegexNode {
  const nodes: RegexNode[] = [];
  for (let next = reader.peek(); next !== undefined && next !== "|" && next !== ")"; next = reader.peek()) {
    nodes.push(readRepeat(reader, readAtom(reader, depth)));
  }
  return { type: "all", nodes };
}

function readAtom(reader: Reader, depth: number): RegexNode {
  const character = reader.next();
  if (character === "(") {
    if (!reader.eat("?:") && reader.peek() === "?") {
      throw new SyntaxError("a pattern without look-around, named groups and flags; write (…) or (?:…)");
    }
    const node = readAlternatives(reader, depth + 1);
    if (!reader.eat(")")) throw new SyntaxError('a pattern in which each "(" has its ")"');
    return node;
  }
  if (character === "[") return { type: "set", set: readClass(reader) };
  if (character === ".") return { type: "set", set: { negated: true, ranges: [] } };
  if (character === "\\") return { type: "set", set: readEscape(reader) };
  if (character === "^" || character === "$") {
    throw new SyntaxError(`a pattern with "${character}" only at its end: it always covers the whole value`);
  }
  if ("*+?{".includes(character)) throw new SyntaxError(`something before "${character}" to repeat`);
  return { type: "set", set: single(character.codePointAt(0)!) };
}

function readRepeat(reader: Reader, node: RegexNode): RegexNode {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  const next = reader.peek();
  if (next === "*" || next === "+" || next === "?") {
    reader.next();
    if (next === "+") min = 1;
    if (next === "?") max = 1;
  } else if (next === "{") {
    const bounds = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(reader.rest(12));
    if (bounds === null) throw new SyntaxError('{n}, {n,} or {n,m} after "{", or \\{ for the character');
    reader.eat(bounds[0]);
    min = Number(bounds[1]);
    max = bounds[2] === undefined ? min : bounds[3] === undefined ? max : Number(bounds[3]);
    if (max < min) throw new SyntaxError("{n,m} with n not above m");
  } else return node;
  // Lazy or greedy is the same when only "does it match" is asked.
  reader.eat("?");
  if ("*+?{".includes(reader.peek() ?? "x"))
    throw new SyntaxError("one quantifier after another is not allowed");
  return { type: "repeat", node, min, max };
}

function readClass(reader: Reader): CharacterSet {
  const negated = reader.eat("^");
  const ranges: number[] = [];
  while (!reader.eat("]")) {
    const from = readClassMember(reader);
    if (typeof from === "number" && reader.peek() === "-" && reader.peek(1) !== "]") {
      reader.next();
      const to = readClassMember(reader);
      if (typeof to !== "number" || to < from) throw new SyntaxError("a class with ranges from low to high");
      ranges.push(from, to);
    } else ranges.push(...(typeof from === "number" ? [from, from] : from));
  }
  return { negated, ranges };
}

function readClassMember(reader: Reader): number | readonly number[] {
  const character = reader.next();
  if (character !== "\\") return character.codePointAt(0)!;
  const set = readEscape(reader);
  if (set.negated) return complement(set.ranges);
  return set.ranges.length === 2 && set.ranges[0] === set.ranges[1] ? set.ranges[0]! : set.ranges;
}

function readEscape(reader: Reader): CharacterSet {
  const character = reader.next();
  const lower = character.toLowerCase();
  if (lower === "d" || lower === "w" || lower === "s") {
    return { negated: lower !== character, ranges: lower === "d" ? DIGIT : lower === "w" ? WORD : SPACE };
  }
  const control = CONTROLS.get(character);
  if (control !== undefined) return single(control);
  if (character === "x" || character === "u") {
    const form = character === "x" ? /^([0-9a-f]{2})/i : /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/i;
    const code = form.exec(reader.rest(8));
    const point = Number.parseInt(code?.[1] ?? code?.[2] ?? "", 16);
    if (code === null || point > 0x10ffff) throw new SyntaxError("\\xHH, \\uHHHH or \\u{H…}");
    // Half a pair would match nothing, since texts are read by code points.
    if (point >= 0xd800 && point <= 0xdfff) throw new SyntaxError("\\u{H…} for a character beyond FFFF");
    reader.eat(code[0]);
    return single(point);
  }
  if (/[A-Za-z0-9]/.test(character)) throw new SyntaxError(`a pattern without \\${character}`);
  return single(character.codePointAt(0)!);
}

function single(point: number): CharacterSet {
  return { negated: false, ranges: [point, point] };
}

function complement(ranges: readonly number[]): number[] {
  const result: number[] = [];
  let from = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i]! > from) result.push(from, ranges[i]! - 1);
    from = ranges[i + 1]! + 1;
  }
  return [...result, from, 0x10ffff];
}
