// Measures the checker: cold start, and a warm check of a 50-line script with 100 and with 1,500 tools.
import { createCompiler } from "../../stubs/check/compiler.ts";
import type { CatalogInput } from "../../stubs/check/catalog-index.ts";

const TARGETS_MS = { cold: 600, warm100: 20, warm1500: 40 } as const;
const ROUNDS = process.argv.includes("--quick") ? 15 : 60;

/** Tools of the size that real ones have: some ten arguments, enums, a nested object, an array. */
function catalogOf(count: number): CatalogInput {
  const perServer = 25;
  const tools: CatalogInput["tools"][number][] = [];
  const declarations: string[] = [];
  for (let server = 0; server * perServer < count; server += 1) {
    const namespace = `server${server}`;
    const members: string[] = [];
    for (let n = 0; n < perServer && server * perServer + n < count; n += 1) {
      const identifier = `list_things_${n}`;
      const input =
        '{ owner: string; repo: string; state?: "open" | "closed" | "all"; page?: number; per_page?: number; ' +
        'labels?: string[]; filter?: { author?: string; since?: string; sort?: "asc" | "desc" }; dry_run?: boolean }';
      members.push(`  function ${identifier}(input: ${input}): Promise<any>;`);
      tools.push({
        namespace,
        identifier,
        signature: `${namespace}.${identifier}(input: ${input}): Promise<any>`,
      });
    }
    declarations.push(`declare namespace ${namespace} {\n${members.join("\n")}\n}`);
  }
  return { hash: String(count), declarations: declarations.join("\n"), tools };
}

/** 50 lines as a model writes them; the number makes each text new, so that no result comes from the cache. */
function scriptOf(n: number): string {
  const lines = [`// run ${n}`, "const seen = new Map<string, number>();"];
  for (let i = 0; lines.length < 46; i += 1) {
    lines.push(
      `const page${i} = await server${i % 4}.list_things_${i}({ owner: "o", repo: "r", state: "open", page: ${i} });`,
      `for (const item of page${i} as { name: string; size?: number }[]) {`,
      "  seen.set(item.name, (seen.get(item.name) ?? 0) + (item.size ?? 0));",
      "}",
    );
  }
  lines.push("const top = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 10);");
  lines.push("for (const [name, size] of top) console.log(`${name}: ${size}`);", "return top.length;");
  return lines.join("\n");
}

async function main(): Promise<void> {
  const { signal } = new AbortController();
  const rows: { measure: string; medianMs: number; maxMs: number; targetMs: number }[] = [];
  for (const count of [100, 1_500] as const) {
    const started = performance.now();
    await using compiler = createCompiler();
    compiler.setCatalog(catalogOf(count));
    await compiler.warm();
    const cold = performance.now() - started;
    rows.push({ measure: `cold, ${count} tools`, medianMs: cold, maxMs: cold, targetMs: TARGETS_MS.cold });
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const from = performance.now();
      const { code, diagnostics } = await compiler.compile(
        { script: scriptOf(n), check: "error" },
        { signal },
      );
      times.push(performance.now() - from);
      if (code === undefined) throw new Error(`the script did not compile: ${diagnostics[0]?.message}`);
    }
    times.sort((a, b) => a - b);
    const targetMs = count === 100 ? TARGETS_MS.warm100 : TARGETS_MS.warm1500;
    rows.push({
      measure: `warm, ${count} tools`,
      medianMs: times[times.length >> 1] as number,
      maxMs: times.at(-1) as number,
      targetMs,
    });
  }
  for (const row of rows) {
    const { measure, medianMs, maxMs, targetMs } = row;
    const verdict = medianMs <= targetMs ? "met" : "missed";
    process.stdout.write(
      `${measure.padEnd(18)} median ${medianMs.toFixed(1).padStart(6)} ms  max ${maxMs.toFixed(1).padStart(6)} ms  target ${targetMs} ms ${verdict}\n`,
    );
  }
}

await main();
