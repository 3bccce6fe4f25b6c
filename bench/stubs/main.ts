// Owns the stub benchmark: tokens per server at each level beside the raw definitions, and the time it takes.
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations, emitOneLine, emitTool } from "../../stubs/emit.ts";
import { assignNames } from "../../stubs/names.ts";
import { corpus, isSharedCorpus } from "../../test/stubs/emit-data.ts";
import { peerText } from "./peer.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const { named } = assignNames(corpus);
const servers = [...Map.groupBy(named, ({ namespace }) => namespace)];
const COLUMNS = ["raw", "full", "summary", "no docs", "index", "json-schema-to-typescript"] as const;

console.log(
  `Tools: ${isSharedCorpus ? "real servers" : "the project's fixtures"}; ${named.length} of ${servers.length} servers.`,
);
console.log(`Tokens of o200k_base. Node ${process.version}.`);
console.log("Generators of other projects that are not among the development dependencies are left out.\n");
await table();
time(values.quick ? 3 : 15);

async function table(): Promise<void> {
  console.log(`| server | tools | ${COLUMNS.join(" | ")} |`);
  console.log(`|---|${["tools", ...COLUMNS].map(() => "--:").join("|")}|`);
  const totals: number[] = COLUMNS.map(() => 0);
  let refused = 0;
  for (const [namespace, tools] of servers) {
    const peers = await Promise.all(tools.map(peerText));
    refused += peers.filter((text) => text === undefined).length;
    const texts = [
      tools.map(rawText).join("\n"),
      emitDeclarations(tools, { docs: "full" }).text,
      emitDeclarations(tools, { docs: "summary" }).text,
      emitDeclarations(tools, { docs: "none" }).text,
      [namespace, ...tools.map((tool) => `${tool.identifier} // ${emitOneLine(tool)}`)].join("\n"),
      peers.filter((text) => text !== undefined).join("\n"),
    ];
    const counts = texts.map((text) => countTokens(text));
    counts.forEach((count, index) => (totals[index] = (totals[index] ?? 0) + count));
    console.log(`| ${namespace} | ${tools.length} | ${counts.join(" | ")} |`);
  }
  console.log(`| all | ${named.length} | ${totals.join(" | ")} |`);
  const [raw = 1] = totals;
  console.log(`| of raw | | ${totals.map((total) => `${((100 * total) / raw).toFixed(1)} %`).join(" | ")} |`);
  if (refused > 0)
    console.log(`\njson-schema-to-typescript threw on ${refused} tools; its column is without them.`);
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
