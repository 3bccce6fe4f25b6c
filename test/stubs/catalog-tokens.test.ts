// Shows the token estimate against a real tokenizer.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "../../stubs/catalog-tokens.ts";
import { catalogOf } from "../fixtures/catalog/named.ts";
import { loadPool } from "../fixtures/catalog/sets.ts";
import { verifies } from "../requirements.ts";

const { real } = loadPool();
const servers = [...Map.groupBy(real, (tool) => tool.server).values()].map((tools) => catalogOf(tools));
const everything = catalogOf(real);

test.each([0, 300, 2_000, 1_000_000])(
  verifies(
    "catalog:tokens",
    "the listing of each server at a budget of %i tokens is not under the true count by 10 %%",
  ),
  (budgetTokens) => {
    for (const catalog of [...servers, everything]) {
      const { text, tokens } = catalog.text({ budgetTokens });
      expect(tokens).toBeGreaterThanOrEqual(0.9 * countTokens(text));
    }
  },
);

test(verifies("catalog:tokens", "the estimate of all tools together is over by at most two fifths"), () => {
  for (const budgetTokens of [30_000, 1_000_000]) {
    const { text, tokens } = everything.text({ budgetTokens });
    expect(tokens / countTokens(text)).toBeLessThan(1.4);
  }
});

test(verifies("catalog:tokens", "a part never costs more than the whole, and nothing costs nothing"), () => {
  expect(estimateTokens("")).toBe(0);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (first, second) => {
      expect(estimateTokens(`${first}\n${second}`)).toBeGreaterThanOrEqual(estimateTokens(first));
    }),
  );
});
