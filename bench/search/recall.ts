// Owns the measurement of recall against catalog size: the needed tools stay, distractors are added at random.
import type { NamedTool, ToolDefinition } from "../../contract/tool.ts";
import { createNameIndex } from "../../stubs/search/names.ts";
import { createSearchIndex } from "../../stubs/search/rank.ts";
import { toolId, type QuerySet } from "../../test/fixtures/catalog/sets.ts";
import { renamedCopy, seeded, shuffled } from "./pool.ts";

export interface RecallPoint {
  readonly size: number;
  /** Mean share of a query's labels among the first five hits. */
  readonly recall: number;
}

export interface RecallOptions {
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly depth: number;
  /** Queries of the set that are asked, evenly spaced. */
  readonly queries: number;
}

/** An index is made for many queries at once; their needed tools stand in it beside the distractors. */
const QUERIES_PER_CATALOG = 10;

/**
 * For groups of ten queries: a catalog of their needed tools and of distractors drawn without order from `real`, and from renamed
 * copies beyond; a larger catalog holds every tool of the smaller one. A distractor never has the name or the description of
 * a needed tool: it would be an answer as good.
 */
export function recallBySize(
  set: QuerySet,
  real: readonly ToolDefinition[],
  options: RecallOptions,
): RecallPoint[] {
  const random = seeded(options.seed);
  const byId = new Map(set.tools.map((tool) => [toolId(tool), tool]));
  const step = Math.max(1, Math.floor(set.queries.length / options.queries));
  const asked = set.queries.filter((_, at) => at % step === 0).slice(0, options.queries);
  const sums = options.sizes.map(() => 0);
  for (let start = 0; start < asked.length; start += QUERIES_PER_CATALOG) {
    const batch = asked.slice(start, start + QUERIES_PER_CATALOG);
    const ids = new Set(batch.flatMap((query) => query.groups.flat()));
    const needed = [...ids].flatMap((id) => byId.get(id) ?? []);
    const names = new Set(needed.map((tool) => tool.name));
    const texts = new Set(needed.map((tool) => tool.description));
    const others = shuffled(
      real.filter((tool) => !names.has(tool.name) && !texts.has(tool.description)),
      random,
    );
    for (const [at, size] of options.sizes.entries()) {
      const catalog = [...needed];
      for (let next = 0; catalog.length < size; next++) {
        const other = others[next % others.length] as ToolDefinition;
        const copy = Math.floor(next / others.length);
        catalog.push(copy === 0 ? other : renamedCopy(other, copy));
      }
      const tools: NamedTool[] = shuffled(catalog, random).map((tool) => ({
        tool,
        namespace: tool.server,
        identifier: tool.name,
      }));
      const index = createSearchIndex(tools, createNameIndex(tools));
      for (const { q, groups } of batch) {
        const { ranked } = index.rank(q, { limit: options.depth, accepts: () => true });
        const found = new Set(ranked.map(({ position }) => toolId((tools[position] as NamedTool).tool)));
        const hits = groups.filter((group) => group.some((id) => found.has(id))).length;
        (sums[at] as number) += hits / groups.length;
      }
    }
  }
  return options.sizes.map((size, at) => ({ size, recall: (sums[at] as number) / asked.length }));
}
