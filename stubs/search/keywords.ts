// Owns keyword ranking: BM25 over weighted fields, with the score of each (term, tool) pair computed once.
import type { NamedTool } from "../../contract/tool.ts";
import {
  DESCRIPTION_WEIGHT,
  descriptionText,
  NAME_WEIGHT,
  PARAMETER_WEIGHT,
  parameterTexts,
  SERVER_WEIGHT,
} from "./fields.ts";
import { eachWord, termOf } from "./words.ts";

const K1 = 1.2;
const B = 0.75;
/** Distinct terms of a query that count; the rest is ignored. */
const MAX_QUERY_TERMS = 200;

export interface KeywordIndex {
  /** Scores by tool position; valid until the next call. `touched` lists positions whose score is above 0. */
  score(query: string): { readonly scores: Float64Array; readonly touched: readonly number[] };
}

/** Growing list of numbers without boxing. */
class Numbers {
  private values: Float32Array = new Float32Array(1 << 12);
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float32Array(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }
  at(position: number): number {
    return this.values[position] as number;
  }
}

/** Builds the index of a fixed list of tools; ties in a ranking follow the list's order. */
export function createKeywordIndex(tools: readonly NamedTool[]): KeywordIndex {
  const terms = new Map<string, number>();
  const words = new Map<string, number>(); // word → term, -1 for a stop word
  const pairTerms = new Numbers();
  const pairWeights = new Numbers();
  const pairEnds = new Uint32Array(tools.length);
  const holders: number[] = []; // by term: number of tools that hold it
  const weights: number[] = []; // by term: weighted frequency in the current tool
  const lengths = new Float64Array(tools.length);
  let total = 0;

  const termId = (word: string): number => {
    const known = words.get(word);
    if (known !== undefined) return known;
    const term = termOf(word);
    let id = -1;
    if (term !== undefined) {
      id = terms.get(term) ?? terms.size;
      if (id === terms.size) {
        terms.set(term, id);
        holders.push(0);
        weights.push(0);
      }
    }
    words.set(word, id);
    return id;
  };

  const idsOf = (text: string): number[] => {
    const ids: number[] = [];
    eachWord(text, (word) => {
      const id = termId(word);
      if (id >= 0) ids.push(id);
    });
    return ids;
  };
  // Tools of one server share most of their parameters' texts: each is read once.
  const shared = new Map<string, readonly number[]>();
  const sharedIdsOf = (text: string): readonly number[] => {
    let ids = shared.get(text);
    if (ids === undefined) shared.set(text, (ids = idsOf(text)));
    return ids;
  };

  for (const [position, { tool }] of tools.entries()) {
    const seen: number[] = [];
    let length = 0;
    const add = (ids: readonly number[], weight: number): void => {
      for (const id of ids) {
        if (weights[id] === 0) seen.push(id);
        (weights[id] as number) += weight;
      }
      length += weight * ids.length;
    };
    add(idsOf(tool.name), NAME_WEIGHT);
    add(sharedIdsOf(tool.server), SERVER_WEIGHT);
    add(idsOf(descriptionText(tool)), DESCRIPTION_WEIGHT);
    for (const text of parameterTexts(tool.inputSchema)) add(sharedIdsOf(text), PARAMETER_WEIGHT);
    for (const id of seen) {
      pairTerms.push(id);
      pairWeights.push(weights[id] as number);
      (holders[id] as number)++;
      weights[id] = 0;
    }
    pairEnds[position] = pairTerms.length;
    lengths[position] = length;
    total += length;
  }

  // Postings by term, one array for all: term t owns [starts[t], starts[t + 1]).
  const starts = new Uint32Array(terms.size + 1);
  for (let id = 0; id < terms.size; id++) starts[id + 1] = (starts[id] as number) + (holders[id] as number);
  const positions = new Uint32Array(pairTerms.length);
  const impacts = new Float32Array(pairTerms.length);
  const cursor = starts.slice();
  const mean = total / Math.max(1, tools.length) || 1;
  let pair = 0;
  for (let position = 0; position < tools.length; position++) {
    const norm = K1 * (1 - B + (B * (lengths[position] as number)) / mean);
    for (; pair < (pairEnds[position] as number); pair++) {
      const id = pairTerms.at(pair);
      const count = holders[id] as number;
      const rarity = Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
      const weight = pairWeights.at(pair);
      const slot = (cursor[id] as number)++;
      positions[slot] = position;
      impacts[slot] = (rarity * weight * (K1 + 1)) / (weight + norm);
    }
  }

  const scores = new Float64Array(tools.length);
  let touched: number[] = [];
  return {
    score(query) {
      for (const position of touched) scores[position] = 0;
      touched = [];
      const asked = new Set<number>();
      eachWord(query, (word) => {
        if (asked.size >= MAX_QUERY_TERMS) return;
        const term = termOf(word);
        const id = term === undefined ? undefined : terms.get(term);
        if (id !== undefined) asked.add(id);
      });
      for (const id of asked) {
        const end = starts[id + 1] as number;
        for (let slot = starts[id] as number; slot < end; slot++) {
          const position = positions[slot] as number;
          if (scores[position] === 0) touched.push(position);
          (scores[position] as number) += impacts[slot] as number;
        }
      }
      return { scores, touched };
    },
  };
}
