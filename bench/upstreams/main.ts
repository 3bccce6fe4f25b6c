// Prints what servers cost a gate, beside what they must not cost. `--quick` takes fewer rounds.
import { percentile } from "../runtime/measure.ts";
import { measureGrowth } from "./growth.ts";
import { compareCalls } from "./http-calls.ts";
import { measureOpenings } from "./opened.ts";

const quick = process.argv.includes("--quick");
const rows: [measure: string, reached: string, target: string, met: boolean][] = [];

function row(name: string, reached: number, target: number, unit: string): void {
  const shown = `${reached.toFixed(Number.isInteger(reached) || reached >= 10 ? 0 : 2)} ${unit}`;
  rows.push([name, shown, `≤ ${target} ${unit}`, reached <= target]);
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

const { openings, started } = await measureOpenings(quick ? 3 : 9);
row(
  "50 servers, 1,500 tools kept: gate ready, p50",
  median(openings.map(({ readyMs }) => readyMs)),
  300,
  "ms",
);
row("processes of servers that these openings started", started, 0, "processes");

const calls = quick ? 300 : 1_000;
const scripts: string[] = [];
for (const width of [1, 16]) {
  const { script, broker, bare } = await compareCalls({ calls, width, rounds: quick ? 3 : 7 });
  const each = (median(bare) / calls).toFixed(2);
  const name = `${calls} HTTP calls, ${width} at a time: broker ÷ SDK client alone (${each} ms each)`;
  row(name, median(broker), 1.3, "×");
  scripts.push(`${median(script).toFixed(2)} × (${width} at a time)`);
}

const work = quick ? { calls: 2_000, refreshes: 20 } : { calls: 10_000, refreshes: 100 };
const { early, late } = await measureGrowth(work);
row(
  `heap after ${work.calls} calls and ${work.refreshes} new lists, beyond that after a tenth (${early.toFixed(0)} MB)`,
  late - early,
  1,
  "MB",
);

const width = (index: 0 | 1 | 2): number => Math.max(...rows.map((cells) => cells[index].length));
for (const cells of rows) {
  const [name, reached, target, met] = cells;
  const line = [
    name.padEnd(width(0)),
    reached.padStart(width(1)),
    target.padStart(width(2)),
    met ? "met" : "NOT MET",
  ];
  console.log(line.join("  "));
}
if (rows.some(([, , , met]) => !met)) process.exitCode = 1;
const importMs = median(openings.map((one) => one.importMs));
const searchMs = median(openings.map((one) => one.searchMs));
console.log(
  `\nBeside it: loading Callgate ${importMs.toFixed(0)} ms, the first search after opening ${searchMs.toFixed(0)} ms; the gate's own worker is started ahead of need.` +
    `\nThe same calls made by a script, with its check and its isolate in another process: ${scripts.join(", ")} of the client's time.` +
    `\nNode ${process.version}, ${process.platform}-${process.arch}`,
);
