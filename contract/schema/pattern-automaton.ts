// Owns the automaton of a pattern: one state per character position, edges with the number of ways to take them.
import { ANY, meets, type CharSet } from "./pattern-set.ts";
import type { PatternNode } from "./pattern-syntax.ts";

const MAX_STATES = 250;
const MAX_EXPANDED = 64;
const MOST_WAYS = 1_000_000;

export interface Automaton {
  readonly sets: readonly CharSet[];
  /** State → next state → ways. */
  readonly next: readonly ReadonlyMap<number, number>[];
  readonly first: ReadonlyMap<number, number>;
  readonly last: ReadonlyMap<number, number>;
  /** Patterns tried at the start position, each on its own. */
  readonly looks: readonly Automaton[];
  /** True when a match is not certain once the last state is reached. */
  readonly asserts: boolean;
  /** True when a loop may go round without taking a character: then ways are counted too low. */
  readonly idles: boolean;
}

interface Part {
  readonly empty: number;
  readonly first: ReadonlyMap<number, number>;
  readonly last: ReadonlyMap<number, number>;
}

const NOTHING: Part = { empty: 1, first: new Map(), last: new Map() };

/** Builds the automaton; `undefined` when the pattern is too large or of a form that is not judged. */
export function automatonOf(node: PatternNode, anchored: boolean): Automaton | undefined {
  const builder = new Builder();
  const body = builder.part(node, { start: true, looped: false });
  if (builder.refused) return undefined;
  // Without an anchor the engine tries every start: the same as any characters first.
  const whole = anchored ? body : builder.sequence(builder.repeated({ kind: "set", set: ANY }), body);
  return {
    sets: builder.sets,
    next: builder.next,
    first: whole.first,
    last: whole.last,
    looks: builder.looks,
    asserts: builder.asserts,
    idles: builder.idles,
  };
}

/** True when every way through the pattern begins with `^`. */
export function isAnchored(node: PatternNode): boolean {
  if (node.kind === "start") return true;
  if (node.kind === "choice") return node.items.every(isAnchored);
  if (node.kind === "sequence") {
    const head = node.items.find((item) => item.kind !== "look" && item.kind !== "assertion");
    return head !== undefined && isAnchored(head);
  }
  return false;
}

interface Place {
  /** Nothing has been consumed yet. */
  readonly start: boolean;
  readonly looped: boolean;
}

class Builder {
  refused = false;
  asserts = false;
  idles = false;
  readonly sets: CharSet[] = [];
  readonly next: Map<number, number>[] = [];
  readonly looks: Automaton[] = [];

  part(node: PatternNode, place: Place): Part {
    if (this.refused || this.sets.length > MAX_STATES) {
      this.refused = true;
      return NOTHING;
    }
    switch (node.kind) {
      case "start":
        // Inside a loop or behind other text it can fail late, like any assertion.
        if (!place.start) this.asserts = true;
        return NOTHING;
      case "assertion":
        this.asserts = true;
        return NOTHING;
      case "look":
        return this.#look(node.body, place);
      case "set": {
        const state = this.sets.push(node.set) - 1;
        this.next.push(new Map());
        const own = new Map([[state, 1]]);
        return { empty: 0, first: own, last: own };
      }
      case "sequence": {
        let whole: Part = NOTHING;
        let start = place.start;
        for (const item of node.items) {
          whole = this.sequence(whole, this.part(item, { ...place, start }));
          start &&= whole.first.size === 0;
        }
        return whole;
      }
      case "choice": {
        const parts = node.items.map((item) => this.part(item, place));
        return {
          empty: clamp(parts.reduce((sum, { empty }) => sum + empty, 0)),
          first: sum(parts.map(({ first }) => [first, 1])),
          last: sum(parts.map(({ last }) => [last, 1])),
        };
      }
      case "repeat":
        return this.#repeat(node, place);
    }
  }

  sequence(left: Part, right: Part): Part {
    for (const [from, ways] of left.last)
      for (const [to, more] of right.first) this.#link(from, to, ways * more);
    return {
      empty: clamp(left.empty * right.empty),
      first: sum([
        [left.first, 1],
        [right.first, left.empty],
      ]),
      last: sum([
        [right.last, 1],
        [left.last, right.empty],
      ]),
    };
  }

  /** Any number of times. */
  repeated(body: PatternNode): Part {
    this.idles ||= canBeEmpty(body);
    const part = this.part(body, { start: false, looped: true });
    for (const [from, ways] of part.last)
      for (const [to, more] of part.first) this.#link(from, to, ways * more);
    return { ...part, empty: 1 };
  }

  #repeat({ body, min, max }: Extract<PatternNode, { kind: "repeat" }>, place: Place): Part {
    if (max === 0) return NOTHING;
    const size = sizeOf(body);
    const expand = min === max ? !canBeEmpty(body) : max <= 4 && !varies(body);
    if (max === 1 || (expand && max * size <= MAX_EXPANDED)) {
      // a{2,4} is aa(a(a)?)?
      let tail: PatternNode | undefined;
      for (let count = max; count > min; count -= 1) {
        const items: readonly PatternNode[] = tail === undefined ? [body] : [body, tail];
        tail = {
          kind: "choice",
          items: [
            { kind: "sequence", items },
            { kind: "sequence", items: [] },
          ],
        };
      }
      const copies = Array.from({ length: min }, () => body);
      return this.part({ kind: "sequence", items: tail === undefined ? copies : [...copies, tail] }, place);
    }
    // A body that can be empty, repeated a counted number of times, is tried in every combination.
    if (canBeEmpty(body) && (min > 1 || max !== Infinity)) this.refused = true;
    const part = this.repeated(body);
    return min === 0 ? part : { ...part, empty: canBeEmpty(body) ? 1 : 0 };
  }

  #look(body: PatternNode, { start, looped }: Place): Part {
    this.asserts = true;
    const automaton = automatonOf(body, true);
    if (automaton === undefined || looped || (!start && loops(body))) this.refused = true;
    else if (start) this.looks.push(automaton);
    return NOTHING;
  }

  #link(from: number, to: number, ways: number): void {
    const edges = this.next[from] as Map<number, number>;
    edges.set(to, clamp((edges.get(to) ?? 0) + ways));
  }
}

const clamp = (count: number): number => Math.min(MOST_WAYS, count);

function sum(parts: readonly (readonly [ReadonlyMap<number, number>, number])[]): Map<number, number> {
  const total = new Map<number, number>();
  for (const [part, factor] of parts) {
    if (factor === 0) continue;
    for (const [state, ways] of part) total.set(state, clamp((total.get(state) ?? 0) + ways * factor));
  }
  return total;
}

function sizeOf(node: PatternNode): number {
  if (node.kind === "set") return 1;
  if (node.kind === "repeat")
    return sizeOf(node.body) * (Number.isFinite(node.max) ? Math.max(1, node.max) : 1);
  if (node.kind === "sequence" || node.kind === "choice")
    return node.items.reduce((size, item) => size + sizeOf(item), 0);
  return 0;
}

function canBeEmpty(node: PatternNode): boolean {
  if (node.kind === "set") return false;
  if (node.kind === "repeat") return node.min === 0 || canBeEmpty(node.body);
  if (node.kind === "choice") return node.items.some(canBeEmpty);
  return node.kind === "sequence" ? node.items.every(canBeEmpty) : true;
}

/** Whether a pattern holds a repetition whose count is not fixed. */
function varies(node: PatternNode): boolean {
  if (node.kind === "repeat") return node.min !== node.max || varies(node.body);
  if (node.kind === "look") return varies(node.body);
  return node.kind === "sequence" || node.kind === "choice" ? node.items.some(varies) : false;
}

function loops(node: PatternNode): boolean {
  if (node.kind === "repeat") return node.max > 4 || loops(node.body);
  if (node.kind === "look") return loops(node.body);
  return node.kind === "sequence" || node.kind === "choice" ? node.items.some(loops) : false;
}

/** Whether two states can follow on the same character. */
export function sameCharacter(automaton: Automaton, left: number, right: number): boolean {
  return left === right || meets(automaton.sets[left] as CharSet, automaton.sets[right] as CharSet);
}
