// Owns the reading of a regular expression (flag `u`, already known to compile) into a tree.
import { ANY, CLASSES, complement, DOT, oneOf, range, union, type CharSet } from "./pattern-set.ts";

export type PatternNode =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: "start" }
  | { readonly kind: "assertion" }
  | { readonly kind: "look"; readonly body: PatternNode };

/** Reads a pattern; `undefined` when it uses what is not judged here, such as back-references. */
export function parsePattern(source: string): PatternNode | undefined {
  const reader = new Reader(source);
  const node = reader.choice();
  return reader.foreign ? undefined : node;
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["f", 12],
  ["0", 0],
]);

class Reader {
  foreign = false;
  readonly #text: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#text = [...source];
  }

  choice(): PatternNode {
    const items = [this.#sequence()];
    while (this.#take("|")) items.push(this.#sequence());
    return items.length === 1 ? (items[0] as PatternNode) : { kind: "choice", items };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      items.push(this.#quantified(this.#atom()));
    }
    return { kind: "sequence", items };
  }

  #quantified(body: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return body;
    this.#take("?");
    return { kind: "repeat", body, min: bounds[0], max: bounds[1] };
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return undefined;
    const [min = "", max] = this.#until("}").split(",");
    return [Number(min), max === undefined ? Number(min) : max === "" ? Infinity : Number(max)];
  }

  #atom(): PatternNode {
    const next = this.#next();
    if (next === "(") return this.#group();
    if (next === "[") return { kind: "set", set: this.#class() };
    if (next === "^") return { kind: "start" };
    if (next === "$") return { kind: "assertion" };
    if (next === ".") return { kind: "set", set: DOT };
    if (next !== "\\") return { kind: "set", set: oneOf(next.codePointAt(0) as number) };
    if (this.#take("b") || this.#take("B")) return { kind: "assertion" };
    if (/[1-9k]/.test(this.#peek() ?? "")) this.foreign = true;
    return { kind: "set", set: this.#escape() };
  }

  #group(): PatternNode {
    let kind: "group" | "look" = "group";
    if (this.#take("?")) {
      if (this.#take("=") || this.#take("!")) kind = "look";
      else if (this.#take("<")) {
        if (this.#take("=") || this.#take("!")) kind = "look";
        else this.#until(">");
      } else if (!this.#take(":")) {
        // Flags inside a pattern change what its sets mean.
        this.foreign = true;
        this.#until(":");
      }
    }
    const body = this.choice();
    this.#take(")");
    return kind === "look" ? { kind: "look", body } : body;
  }

  #class(): CharSet {
    const negated = this.#take("^");
    const sets: CharSet[] = [];
    while (this.#at < this.#text.length && !this.#take("]")) {
      const first = this.#member();
      if (this.#peek() === "-" && this.#text[this.#at + 1] !== "]" && first.length === 1) {
        this.#next();
        const last = this.#member();
        sets.push(range(first[0]?.[0] ?? 0, last.at(-1)?.[1] ?? 0));
      } else {
        sets.push(first);
      }
    }
    const set = union(sets);
    return negated ? complement(set) : set;
  }

  #member(): CharSet {
    const next = this.#next();
    if (next !== "\\") return oneOf(next.codePointAt(0) as number);
    return this.#take("b") ? oneOf(8) : this.#escape();
  }

  /** What follows a backslash. */
  #escape(): CharSet {
    const next = this.#next();
    const known = CLASSES.get(next);
    if (known !== undefined) return known;
    const code = ESCAPES.get(next);
    if (code !== undefined) return oneOf(code);
    if (next === "c") return oneOf((this.#next().codePointAt(0) as number) % 32);
    if (next === "x") return oneOf(Number.parseInt(this.#next() + this.#next(), 16));
    if (next === "u") return this.#unicode();
    if (next === "p" || next === "P") {
      this.#until("}");
      return ANY;
    }
    return oneOf(next.codePointAt(0) as number);
  }

  #unicode(): CharSet {
    if (this.#take("{")) return oneOf(Number.parseInt(this.#until("}"), 16));
    const unit = this.#hex();
    const pair =
      this.#text.slice(this.#at, this.#at + 2).join("") === "\\u" && unit >= 0xd800 && unit <= 0xdbff;
    if (!pair) return oneOf(unit);
    this.#at += 2;
    return oneOf(String.fromCharCode(unit, this.#hex()).codePointAt(0) as number);
  }

  #hex(): number {
    return Number.parseInt([0, 0, 0, 0].map(() => this.#next()).join(""), 16);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #next(): string {
    this.#at += 1;
    return this.#text[this.#at - 1] ?? "";
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #until(character: string): string {
    let text = "";
    while (this.#at < this.#text.length && !this.#take(character)) text += this.#next();
    return text;
  }
}
