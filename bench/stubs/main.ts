// Owns the stub benchmark: tokens per server at each level beside the raw definitions, and the time it takes.
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations, emitOneLine, emitTool } from "../../stubs/emit.ts";
import { assignNames } from "../../stubs/names.ts";
import { corpus, isSharedCorpus } from "../../test/stubs/emit-data.ts";
import { generateTolerantly, loadPeers, type Peer } from "./installed-peers.ts";
import { peerText } from "./peer.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const { named } = assignNames(corpus);
const servers = [...Map.groupBy(named, ({ namespace }) => namespace)];
const COLUMNS = ["raw", "full", "summary", "no docs", "index", "json-schema-to-typescript"] as const;

/** Tokens, or why there are none. */
type Cell = number | string;

console.log(
  `Tools: ${isSharedCorpus ? "real servers" : "the project's fixtures"}; ${named.length} of ${servers.length} servers.`,
);
console.log(`Tokens of o200k_base. Node ${process.version}.`);
console.log("Generators of other projects print as much as they do by default.\n");
await table();
time(values.quick ? 3 : 15);

async function table(): Promise<void> {
  const peers = await loadPeers();
  const columns = [...COLUMNS, ...peers.map(({ title }) => title)];
  console.log(`| server | tools | ${columns.join(" | ")} |`);
  console.log(`|---|${["tools", ...columns].map(() => "--:").join("|")}|`);
  const totals: Cell[] = [...COLUMNS.map(() => 0), ...peers.map((peer) => absenceOf(peer) ?? 0)];
  const refused = new Map<string, number>();
  const refuse = (title: string, count: number): unknown =>
    refused.set(title, (refused.get(title) ?? 0) + count);
  for (const [namespace, tools] of servers) {
    const compiled = await Promise.all(tools.map(peerText));
    refuse("json-schema-to-typescript", compiled.filter((text) => text === undefined).length);
    const texts = [
      tools.map(rawText).join("\n"),
      emitDeclarations(tools, { docs: "full" }).text,
      emitDeclarations(tools, { docs: "summary" }).text,
      emitDeclarations(tools, { docs: "none" }).text,
      [namespace, ...tools.map((tool) => `${tool.identifier} // ${emitOneLine(tool)}`)].join("\n"),
      compiled.filter((text) => text !== undefined).join("\n"),
    ];
    const cells: Cell[] = texts.map((text) => countTokens(text));
    for (const peer of peers) {
      if ("generate" in peer) {
        const made = await generateTolerantly(peer.generate, namespace, tools);
        refuse(peer.title, made.refused);
        cells.push(countTokens(made.text));
      } else cells.push(peer.absence);
    }
    cells.forEach((cell, index) => {
      const total = totals[index];
      if (typeof total === "number" && typeof cell === "number") totals[index] = total + cell;
    });
    console.log(`| ${namespace} | ${tools.length} | ${cells.join(" | ")} |`);
  }
  console.log(`| all | ${named.length} | ${totals.join(" | ")} |`);
  const raw = Number(totals[0]);
  const shares = totals.map((total) =>
    typeof total === "number" ? `${((100 * total) / raw).toFixed(1)} %` : total,
  );
  console.log(`| of raw | | ${shares.join(" | ")} |`);
  for (const [title, count] of refused)
    if (count > 0) console.log(`${title} threw on ${count} tools; its column is without them.`);
  for (const peer of peers) if ("sentence" in peer) console.log(peer.sentence);
}

function absenceOf(peer: Peer): string | undefined {
  return "absence" in peer ? peer.absence : undefined;
}

function rawText({ tool: { name, description, inputSchema, outputSchema } }: NamedTool): string {
  return JSON.stringify({ name, description, inputSchema, outputSchema });
}

function time(rounds: number): void {
  console.log(
    `\nTime to emit all ${named.length} tools, ms; the first time and the median of ${rounds} more.\n`,
  );
  console.log("| form | first | median |\n|---|--:|--:|");
  const measure = (form: string, emit: () => unknown): void => {
    const times = Array.from({ length: rounds + 1 }, () => {
      const start = performance.now();
      emit();
      return performance.now() - start;
    });
    const [first = Number.NaN, ...more] = times;
    const median = more.toSorted((left, right) => left - right)[Math.floor(more.length / 2)] ?? Number.NaN;
    console.log(`| ${form} | ${first.toFixed(0)} | ${median.toFixed(0)} |`);
  };
  measure("names", () => assignNames(corpus));
  for (const docs of ["none", "summary", "full"] as const) {
    measure(`declarations, docs ${docs}`, () => emitDeclarations(named, { docs }));
  }
  const slowest = named.map((tool) => {
    const start = performance.now();
    emitTool(tool, { detail: "full" });
    return performance.now() - start;
  });
  console.log(`\nSlowest single tool at full: ${Math.max(...slowest).toFixed(1)} ms.`);
}
