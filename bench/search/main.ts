// Owns the search benchmark: time at 10,000 tools, and recall@5 against catalog size as a table and a plot.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createCatalog } from "../../stubs/catalog.ts";
import { assignNames } from "../../stubs/names.ts";
import { loadPool, type Pool } from "../../test/fixtures/catalog/sets.ts";
import { manyTools } from "./pool.ts";
import { recallPlot, type Series } from "./plot.ts";
import { recallBySize } from "./recall.ts";

const SIZES = [50, 100, 200, 500, 1_000, 4_000];
const TOOLS = 10_000;
const SEED = 42;
const DEPTH = 5;

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const pool = loadPool();
console.log(`Tools: ${pool.source}; ${pool.real.length} distinct. Node ${process.version}, seed ${SEED}.`);
await timing(pool, values.quick ? 1 : 5);
recall(pool, values.quick ? 40 : 200);

async function timing({ sets, real }: Pool, rounds: number): Promise<void> {
  const { named } = assignNames(manyTools(real, TOOLS));
  const builds: number[] = [];
  const spent: number[] = [];
  for (let round = 0; round < rounds + 1; round++) {
    const catalog = createCatalog(named);
    const start = performance.now();
    const cpu = process.threadCpuUsage();
    await catalog.search("warm", { limit: 1 });
    builds.push(performance.now() - start);
    const { user, system } = process.threadCpuUsage(cpu);
    spent.push((user + system) / 1_000);
  }
  const copies = Math.max(0, TOOLS - real.length);
  console.log(`\n${TOOLS} tools, ${copies} of them renamed copies. Times in ms.`);
  const median = fixed(quantile(builds.slice(1), 0.5));
  console.log(
    `build: first ${fixed(builds[0])} (processor ${fixed(spent[0])}), median of ${rounds} more ${median}`,
  );
  const catalog = createCatalog(named);
  for (const { name, queries } of sets) {
    const texts = queries.slice(0, 100).map((query) => query.q);
    for (const detail of ["name", "summary"] as const) {
      const times: number[] = [];
      for (let round = 0; round < rounds + 1; round++) {
        for (const text of texts) {
          const start = performance.now();
          await catalog.search(text, { detail });
          if (round > 0) times.push(performance.now() - start);
        }
      }
      const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)];
      console.log(`query, ${name}, detail ${detail}: p50 ${fixed(half)}, p95 ${fixed(most)}`);
    }
  }
}

function recall({ sets, real }: Pool, queries: number): void {
  const series: Series[] = sets.map((set) => ({
    name: set.name,
    points: recallBySize(set, real, { sizes: SIZES, seed: SEED, depth: DEPTH, queries }),
  }));
  console.log(`\nRecall@${DEPTH} against tools in the catalog; at most ${queries} queries of each set.`);
  console.log("Beyond the real tools, distractors are renamed copies of real ones, never of a needed one.\n");
  console.log(`| queries | ${SIZES.join(" | ")} |`);
  console.log(`|---|${SIZES.map(() => "--:").join("|")}|`);
  for (const { name, points } of series) {
    console.log(`| ${name} | ${points.map((point) => point.recall.toFixed(3)).join(" | ")} |`);
  }
  const target = new URL("./recall.svg", import.meta.url);
  writeFileSync(target, recallPlot(`Recall@${DEPTH} against catalog size`, series));
  console.log("\nPlot: bench/search/recall.svg");
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function fixed(value: number | undefined): string {
  return (value ?? Number.NaN).toFixed(value !== undefined && value < 10 ? 3 : 0);
}
