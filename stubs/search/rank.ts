// Owns the order of hits: exact names, names mentioned, then keywords, fused with a ranking by meaning when there is one.
import type { NamedTool } from "../../contract/tool.ts";
import { createKeywordIndex } from "./keywords.ts";
import type { NameIndex } from "./names.ts";

/** Longest query read, in UTF-16 units. */
export const MAX_QUERY = 4_000;
/** Keyword ranks that take part in a fusion. */
const FUSION_DEPTH = 100;
/** The usual constant of reciprocal rank fusion: how little the first ranks differ. */
const FUSION_K = 60;

export interface Ranked {
  readonly position: number;
  /** Higher is better; comparable within one ranking only. */
  readonly score: number;
}

export interface Ranking {
  readonly ranked: readonly Ranked[];
  /** Tools that match at all. */
  readonly total: number;
}

export interface RankOptions {
  readonly limit: number;
  readonly accepts: (position: number) => boolean;
  /** Positions by meaning, best first. */
  readonly byMeaning?: readonly number[];
}

export interface SearchIndex {
  rank(query: string, options: RankOptions): Ranking;
}

/** Builds the index of a fixed list of tools. Ties keep the list's order. */
export function createSearchIndex(tools: readonly NamedTool[], names: NameIndex): SearchIndex {
  const keywords = createKeywordIndex(tools);
  return {
    rank(query, { limit, accepts, byMeaning }) {
      const text = query.slice(0, MAX_QUERY);
      const exact = names.exact(text).filter(accepts);
      const { scores, touched } = keywords.score(text);
      const scoreOf = (position: number): number => scores[position] as number;
      const mentioned = names.mentioned(text).filter(accepts);
      const top = best(
        touched,
        scores,
        accepts,
        byMeaning === undefined ? limit : Math.max(limit, FUSION_DEPTH),
      );
      const rest =
        byMeaning === undefined
          ? top.map((position) => ({ position, score: scoreOf(position) }))
          : fuse(top, byMeaning);

      // A tier starts above the best score of the tier below it.
      const step = 1 + (rest[0]?.score ?? 0);
      const ranked: Ranked[] = [];
      const seen = new Set<number>();
      const add = (position: number, score: number): void => {
        if (seen.has(position)) return;
        seen.add(position);
        ranked.push({ position, score });
      };
      exact.forEach((position, at) => add(position, 2 * step + 1 / (1 + at)));
      mentioned.forEach((position, at) => add(position, step + 1 / (2 + at)));
      for (const { position, score } of rest) add(position, score);

      let total = 0;
      for (const position of touched) if (accepts(position)) total++;
      for (const position of new Set([...exact, ...mentioned, ...(byMeaning ?? [])])) {
        if (scores[position] === 0) total++;
      }
      return { ranked: ranked.slice(0, limit), total };
    },
  };
}

/** The best positions by score, without sorting all of them. */
function best(
  touched: readonly number[],
  scores: Float64Array,
  accepts: (position: number) => boolean,
  count: number,
): readonly number[] {
  const before = (a: number, b: number): boolean => {
    const difference = (scores[a] as number) - (scores[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  };
  const top: number[] = [];
  for (const position of touched) {
    if (top.length === count && !before(position, top[count - 1] as number)) continue;
    if (!accepts(position)) continue;
    let at = top.length === count ? count - 1 : top.length;
    for (; at > 0 && before(position, top[at - 1] as number); at--) top[at] = top[at - 1] as number;
    top[at] = position;
  }
  return top;
}

/** Reciprocal rank fusion: Σ 1 / (k + rank) over the rankings that hold a position. */
function fuse(first: readonly number[], second: readonly number[]): readonly Ranked[] {
  const scores = new Map<number, number>();
  for (const ranking of [first, second]) {
    ranking.forEach((position, at) =>
      scores.set(position, (scores.get(position) ?? 0) + 1 / (FUSION_K + at + 1)),
    );
  }
  return [...scores]
    .map(([position, score]) => ({ position, score }))
    .sort((a, b) => b.score - a.score || a.position - b.position);
}
