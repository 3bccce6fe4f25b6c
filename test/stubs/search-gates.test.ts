// Shows how often search finds what is needed: on the large sets when there is data, else on the project's own.
import { expect, test } from "vitest";
import { createCatalog, type Catalog } from "../../stubs/catalog.ts";
import { assignNames } from "../../stubs/names.ts";
import { wordsOf } from "../../stubs/search/words.ts";
import { loadPool, toolId, type QuerySet } from "../fixtures/catalog/sets.ts";
import { verifies } from "../requirements.ts";

const LEAST: ReadonlyMap<string, number> = new Map([
  ["fixture", 0.9],
  ["LiveMCPBench steps", 0.72],
  ["LiveMCPBench tasks", 0.42],
  ["MetaTool", 0.72],
]);

const { sets } = loadPool();
const catalogs = new Map<QuerySet["tools"], Catalog>();

function catalogFor(set: QuerySet): Catalog {
  const catalog = catalogs.get(set.tools) ?? createCatalog(assignNames(set.tools).named);
  catalogs.set(set.tools, catalog);
  return catalog;
}

test.each(sets)(verifies("catalog:recall", "recall@10 of $name is at least its gate"), async (set) => {
  const catalog = catalogFor(set);
  let sum = 0;
  for (const { q, groups } of set.queries) {
    const { hits } = await catalog.search(q, { limit: 10, detail: "name" });
    const found = new Set(hits.map((hit) => `${hit.server}/${hit.tool}`));
    sum += groups.filter((group) => group.some((id) => found.has(id))).length / groups.length;
  }
  expect(sum / set.queries.length).toBeGreaterThanOrEqual(LEAST.get(set.name) ?? 1);
});

const camelCase = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");

const FORMS: readonly (readonly [string, (server: string, name: string) => string])[] = [
  ["raw", (_, name) => name],
  ["words", (_, name) => wordsOf(name).join(" ")],
  ["camelCase", (_, name) => camelCase(wordsOf(name))],
  ["snake_case", (_, name) => wordsOf(name).join("_")],
  ["server.tool", (server, name) => `${server}.${name}`],
  ["mcp__server__tool", (server, name) => `mcp__${server}__${name}`],
];

test.each(FORMS)(
  verifies("catalog:exact-name", "a name in the form %s is rank 1 for 99 in 100 tools"),
  async (_, write) => {
    for (const set of sets) {
      const catalog = catalogFor(set);
      let first = 0;
      for (const tool of set.tools) {
        const { hits } = await catalog.search(write(tool.server, tool.name), { limit: 1, detail: "name" });
        if (hits[0]?.tool === tool.name) first++;
      }
      expect(first / set.tools.length).toBeGreaterThanOrEqual(0.99);
    }
  },
);

test(
  verifies("catalog:exact-name", "a name with its server picks that server among tools of one name"),
  async () => {
    for (const set of sets) {
      const catalog = catalogFor(set);
      for (const tool of set.tools) {
        const { hits } = await catalog.search(`mcp__${tool.server}__${tool.name}`, {
          limit: 1,
          detail: "name",
        });
        expect(`${hits[0]?.server}/${hits[0]?.tool}`).toBe(toolId(tool));
      }
    }
  },
);
