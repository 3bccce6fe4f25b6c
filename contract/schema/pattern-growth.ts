// Owns how the time of a backtracking match grows with the text: not at all, linear, by a power, or beyond.
import { sameCharacter, type Automaton } from "./pattern-automaton.ts";

const MAX_STEPS = 100_000;
const MAX_CHOICES = 12;

/**
 * The power of the length that matching time grows with, at least 1; `undefined` when it grows
 * exponentially, or when that could not be ruled out within a bounded number of steps.
 */
export function growthOf(automaton: Automaton): number | undefined {
  const search = new Search(automaton);
  let power = search.power();
  for (const look of automaton.looks) {
    const inner = growthOf(look);
    if (inner === undefined || power === undefined) return undefined;
    power = Math.max(power, inner);
  }
  return power;
}

/**
 * The longest text on which a match takes at most `steps` steps whatever its growth: at each character there
 * are no more ways on than the widest state has. Undefined when not even one character is that cheap.
 */
export function shortestGuard(automaton: Automaton, steps: number): number | undefined {
  if (automaton.idles || automaton.looks.length > 0) return undefined;
  const waysOn = (edges: ReadonlyMap<number, number>): number =>
    edges.values().reduce((sum, ways) => sum + ways, 0);
  const widest = Math.max(2, waysOn(automaton.first), ...automaton.next.map(waysOn));
  const length = Math.floor(Math.log(steps) / Math.log(widest)) - 1;
  return length >= 1 ? length : undefined;
}

class Search {
  readonly #automaton: Automaton;
  readonly #component: readonly number[];
  readonly #members: readonly (readonly number[])[];
  #steps = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    const { component, members } = components(automaton);
    this.#component = component;
    this.#members = members;
  }

  power(): number | undefined {
    const { last, asserts, next } = this.#automaton;
    const loops = this.#members.filter(
      (states) => states.length > 1 || next[states[0] as number]?.has(states[0] as number) === true,
    );
    if (this.#choices(new Set(loops.flat())) > MAX_CHOICES) return undefined;
    for (const states of loops) if (this.#explodes(states)) return undefined;
    // A loop at the very end never has to give back what it took.
    const counted = asserts ? loops : loops.filter((states) => !states.every((state) => last.has(state)));
    const longest = new Map<readonly number[], number>();
    let power = 1;
    // Components come in reverse order of flow, so all successors of a loop are known.
    for (const [index, states] of counted.entries()) {
      let chain = 1;
      for (const later of counted.slice(0, index)) {
        const length = (longest.get(later) ?? 1) + 1;
        if (length > chain && this.#shareText(states, later)) chain = length;
      }
      longest.set(states, chain);
      power = Math.max(power, chain);
    }
    return this.#steps > MAX_STEPS ? undefined : power;
  }

  /** States outside loops where the text does not decide the way on. */
  #choices(looped: ReadonlySet<number>): number {
    const undecided = (edges: ReadonlyMap<number, number>): boolean => {
      const targets = [...edges.keys()];
      if ([...edges.values()].some((ways) => ways > 1)) return true;
      return targets.some((left, index) => targets.slice(index + 1).some((right) => this.#meet(left, right)));
    };
    const { next, first } = this.#automaton;
    const states = next.filter((edges, state) => !looped.has(state) && undecided(edges));
    return states.length + (undecided(first) ? 1 : 0);
  }

  #meet(left: number, right: number): boolean {
    this.#steps += 1;
    return this.#steps <= MAX_STEPS && sameCharacter(this.#automaton, left, right);
  }

  #inside(state: number): readonly number[] {
    const edges = this.#automaton.next[state] as ReadonlyMap<number, number>;
    return [...edges.keys()].filter((to) => this.#component[to] === this.#component[state]);
  }

  /** Whether a loop can read one text in two ways and be back where it was. */
  #explodes(states: readonly number[]): boolean {
    for (const state of states) {
      const edges = this.#automaton.next[state] as ReadonlyMap<number, number>;
      if (this.#inside(state).some((to) => (edges.get(to) ?? 0) > 1)) return true;
    }
    const size = this.#automaton.sets.length;
    const seen = new Map<number, number[]>();
    const ahead = states.map((state) => state * size + state);
    const start = new Set(ahead);
    const back = new Map<number, number[]>();
    for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
      if (seen.has(pair)) continue;
      const targets: number[] = [];
      seen.set(pair, targets);
      for (const left of this.#inside(Math.floor(pair / size))) {
        for (const right of this.#inside(pair % size)) {
          if (!this.#meet(left, right)) continue;
          const target = left * size + right;
          targets.push(target);
          back.set(target, [...(back.get(target) ?? []), pair]);
          ahead.push(target);
        }
      }
      if (this.#steps > MAX_STEPS) return true;
    }
    const returning = new Set<number>();
    const open = [...start];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      for (const earlier of back.get(pair) ?? []) {
        if (returning.has(earlier)) continue;
        returning.add(earlier);
        if (Math.floor(earlier / size) !== earlier % size) return true;
        open.push(earlier);
      }
    }
    return false;
  }

  /** Whether one text can be read by the first loop, by the second, and on the way between them. */
  #shareText(first: readonly number[], second: readonly number[]): boolean {
    for (const from of first) for (const to of second) if (this.#shared(from, to)) return true;
    return false;
  }

  #shared(from: number, to: number): boolean {
    const { next, sets } = this.#automaton;
    const size = sets.length;
    const goal = `${from} ${to} ${to}`;
    const seen = new Set<string>();
    const ahead: [number, number, number][] = [[from, from, to]];
    for (let triple = ahead.pop(); triple !== undefined; triple = ahead.pop()) {
      const [left, middle, right] = triple;
      for (const l of this.#inside(left)) {
        for (const r of this.#inside(right)) {
          if (!this.#meet(l, r)) continue;
          for (const m of (next[middle] as ReadonlyMap<number, number>).keys()) {
            if (!this.#meet(l, m) || !this.#meet(m, r)) continue;
            const key = `${l} ${m} ${r}`;
            if (key === goal) return true;
            if (seen.has(key) || seen.size > size ** 3) continue;
            seen.add(key);
            ahead.push([l, m, r]);
          }
        }
      }
      if (this.#steps > MAX_STEPS) return true;
    }
    return false;
  }
}

/** Strongly connected components, each after all that it leads to. */
function components(automaton: Automaton): {
  readonly component: readonly number[];
  readonly members: readonly (readonly number[])[];
} {
  const count = automaton.sets.length;
  const order: number[] = Array.from({ length: count }, () => -1);
  const low: number[] = Array.from({ length: count }, () => 0);
  const component: number[] = Array.from({ length: count }, () => -1);
  const members: number[][] = [];
  const stack: number[] = [];
  let counter = 0;
  const visit = (state: number): void => {
    order[state] = low[state] = counter;
    counter += 1;
    stack.push(state);
    for (const to of (automaton.next[state] as ReadonlyMap<number, number>).keys()) {
      if (order[to] === -1) {
        visit(to);
        low[state] = Math.min(low[state] as number, low[to] as number);
      } else if (component[to] === -1) {
        low[state] = Math.min(low[state] as number, order[to] as number);
      }
    }
    if (low[state] !== order[state]) return;
    const group: number[] = [];
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      component[member] = members.length;
      group.push(member);
      if (member === state) break;
    }
    members.push(group);
  };
  for (let state = 0; state < count; state += 1) if (order[state] === -1) visit(state);
  return { component, members };
}
