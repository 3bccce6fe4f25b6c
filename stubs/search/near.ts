// Owns "did you mean": tools whose names look like a given one, on any server.
import type { NamedTool } from "../../contract/tool.ts";
import { compactForm } from "./words.ts";

const MAX_NAME = 120;
const CANDIDATES = 64;
const LEAST = 0.45;
const LEAST_SHARED = 0.2;
const PART_OF_NAME = 0.6;
const SAME_OWNER = 0.2;
const LEAST_PART = 3;

export interface NearIndex {
  /** Positions of tools with a like name, best first. `server` prefers (never requires) tools of that server. */
  near(name: string, limit: number): readonly number[];
}

/** Letters and digits of a name, lower case, marked at both ends. */
function compact(text: string): string {
  return `^${compactForm(text.slice(0, MAX_NAME)).slice(0, MAX_NAME)}$`;
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** Builds the index of names; work for one question does not grow with names that share no pair of letters with it. */
export function createNearIndex(tools: readonly NamedTool[]): NearIndex {
  const names = tools.map(({ tool }) => compact(tool.name));
  const sizes = new Uint16Array(tools.length);
  const postings = new Map<string, number[]>();
  for (const [position, name] of names.entries()) {
    const pairs = pairsOf(name);
    sizes[position] = pairs.size;
    for (const pair of pairs) {
      const list = postings.get(pair);
      if (list === undefined) postings.set(pair, [position]);
      else list.push(position);
    }
  }
  const shared = new Uint16Array(tools.length);

  const like = (asked: string): { position: number; score: number }[] => {
    const pairs = pairsOf(asked);
    const touched: number[] = [];
    for (const pair of pairs) {
      for (const position of postings.get(pair) ?? []) {
        if (shared[position] === 0) touched.push(position);
        (shared[position] as number)++;
      }
    }
    const found: { position: number; score: number }[] = [];
    for (const position of touched) {
      const score = (2 * (shared[position] as number)) / (pairs.size + (sizes[position] as number));
      if (score >= LEAST_SHARED) found.push({ position, score });
      shared[position] = 0;
    }
    return found.sort((a, b) => b.score - a.score || a.position - b.position).slice(0, CANDIDATES);
  };

  return {
    near(name, limit) {
      const { owner, rest } = splitPath(name.slice(0, 2 * MAX_NAME));
      const best = new Map<number, number>();
      for (const asked of new Set([compact(rest), compact(name)])) {
        if (asked === "^$") continue;
        for (const { position, score } of like(asked)) {
          const other = names[position] as string;
          const edits = 1 - distance(asked, other) / Math.max(asked.length - 2, other.length - 2, 1);
          const inside = contains(asked, other) ? PART_OF_NAME : 0;
          best.set(position, Math.max(score, edits, inside, best.get(position) ?? 0));
        }
      }
      const ranked = [...best]
        .filter(([, score]) => score >= LEAST)
        .map(([position, score]) => {
          const { namespace, tool } = tools[position] as NamedTool;
          const same = contains(owner, compact(namespace)) || contains(owner, compact(tool.server));
          return { position, score: same ? score + SAME_OWNER : score };
        });
      return ranked
        .sort((a, b) => b.score - a.score || a.position - b.position)
        .slice(0, limit)
        .map((entry) => entry.position);
    },
  };
}

/** True when the letters of one name, three at least, stand inside the other. */
function contains(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length - 2 >= LEAST_PART && long.includes(short.slice(1, -1));
}

/** Splits `github.list_issues`, `github/list_issues` and `mcp__github__list_issues` into owner and rest. */
export function splitPath(name: string): { readonly owner: string; readonly rest: string } {
  const text = name.startsWith("mcp__") ? name.slice(5) : name;
  const cut = /[./:]|__/u.exec(text);
  if (cut === null || cut.index === 0) return { owner: "", rest: text };
  return { owner: compact(text.slice(0, cut.index)), rest: text.slice(cut.index + cut[0].length) };
}

/** Edits (insert, delete, replace, swap of neighbours) between two short texts. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] as number) + 1);
      }
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
