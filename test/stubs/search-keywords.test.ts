// Shows the keyword ranking against a plain, slow writing of the same formula.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NamedTool } from "../../contract/tool.ts";
import { parameterTexts } from "../../stubs/search/fields.ts";
import { createKeywordIndex } from "../../stubs/search/keywords.ts";
import { termOf, wordsOf } from "../../stubs/search/words.ts";
import { named, tool } from "../fixtures/catalog/named.ts";
import { relevance } from "../fixtures/catalog/relevance.ts";
import { verifies } from "../requirements.ts";

const termsOf = (text: string): string[] => wordsOf(text).flatMap((word) => termOf(word) ?? []);

/** BM25 over one pooled, weighted field, with maps and no tricks. */
function slowScores(tools: readonly NamedTool[], query: string): number[] {
  const bags = tools.map(({ tool: { name, server, description = "", inputSchema } }) => {
    const bag = new Map<string, number>();
    const add = (text: string, weight: number): void => {
      for (const term of termsOf(text)) bag.set(term, (bag.get(term) ?? 0) + weight);
    };
    add(name, 3);
    add(server, 1.5);
    add(description, 1.5);
    for (const text of parameterTexts(inputSchema)) add(text, 0.5);
    return bag;
  });
  const lengths = bags.map((bag) => [...bag.values()].reduce((sum, weight) => sum + weight, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / tools.length;
  return bags.map((bag, at) => {
    let score = 0;
    for (const term of new Set(termsOf(query))) {
      const holders = bags.filter((other) => other.has(term)).length;
      const weight = bag.get(term) ?? 0;
      const rarity = Math.log(1 + (tools.length - holders + 0.5) / (holders + 0.5));
      score += (rarity * weight * 2.2) / (weight + 1.2 * (0.25 + (0.75 * (lengths[at] ?? 0)) / mean));
    }
    return score;
  });
}

const WORDS = [
  "list",
  "listing",
  "issues",
  "issue",
  "file",
  "the",
  "read",
  "getHTTPUrl",
  "音楽を",
  "naïve",
  "x9",
];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 });

test(verifies("catalog:recall", "any tools and any query score as the plain formula says"), () => {
  const tools = fc.array(fc.tuple(words, words, words), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(tools, words, (rows, asked) => {
      const set = named(
        rows.map(([name, text, parameters], at) =>
          tool(`s${at % 2}`, `${name.join("_")}_${at}`, text.join(" "), [...new Set(parameters)]),
        ),
      );
      const { scores } = createKeywordIndex(set).score(asked.join(" "));
      const slow = slowScores(set, asked.join(" "));
      for (const [at, score] of slow.entries()) expect(scores[at]).toBeCloseTo(score, 4);
    }),
  );
});

test(verifies("catalog:recall", "one question leaves nothing behind for the next"), () => {
  const set = named(relevance.tools);
  const index = createKeywordIndex(set);
  for (const { q } of relevance.queries) {
    const again = [...index.score(q).scores];
    const slow = slowScores(set, q);
    for (const [at, score] of slow.entries()) expect(again[at]).toBeCloseTo(score, 4);
  }
});

test(verifies("catalog:bounded", "of a query with very many different words a bounded number counts"), () => {
  const set = named([tool("s", "alpha"), tool("s", "omega")]);
  const filler = Array.from({ length: 500 }, (_, at) => `alpha${at}`);
  const many = named([...filler.map((name) => tool("s", name)), tool("s", "omega")]);
  expect(createKeywordIndex(set).score(`${filler.join(" ")} omega`).touched).toHaveLength(1);
  expect(createKeywordIndex(many).score(filler.join(" ")).touched.length).toBeLessThan(filler.length);
});
