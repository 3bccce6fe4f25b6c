// Prints what a run costs, beside what it must not cost. `--quick` takes fewer rounds.
import { createCallgate, defineTool, type Gate, type RunOptions } from "../../index.ts";
import { z } from "zod";
import { measureFloor } from "./floor.ts";
import { measure, percentile, type Sample } from "./measure.ts";
import { childMemory } from "./memory.ts";

const quick = process.argv.includes("--quick");
const size = quick ? { rounds: 3, batch: 20 } : { rounds: 10, batch: 40 };
const rows: [measure: string, reached: string, target: string, met: boolean][] = [];

const tools = {
  local: {
    echo: defineTool({ description: "Echo.", input: z.object({ i: z.number() }), run: (input) => input }),
    slow: defineTool({
      description: "Waits.",
      input: z.object({ ms: z.number() }),
      run: async ({ ms }) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return ms;
      },
    }),
  },
};

function open(): Promise<Gate> {
  return createCallgate({ tools, policy: { default: "allow" }, sandbox: { workers: 2 } });
}

async function timed(gate: Gate, script: string, want: string, scale = 1): Promise<Sample> {
  const options: RunOptions = { check: "off" };
  const rounds = {
    rounds: Math.max(2, Math.round(size.rounds / scale)),
    batch: Math.round(size.batch / scale),
  };
  return measure(async () => {
    const result = await gate.run(script, options);
    if (result.output !== want) throw new Error(`wrong answer: ${result.output} ${result.error?.message}`);
  }, rounds);
}

function row(name: string, reached: number, target: number, unit: string, atLeast = false): void {
  const sign = atLeast ? "≥" : "≤";
  const met = atLeast ? reached >= target : reached <= target;
  rows.push([name, `${reached.toFixed(reached < 10 ? 2 : 0)} ${unit}`, `${sign} ${target} ${unit}`, met]);
}

const floor = await measureFloor();
{
  await using gate = await open();
  const one = await timed(gate, "return 1;", "1");
  row("one-line script, check off, p50", one.p50, 2, "ms");
  row("one-line script, check off, p95", one.p95, 5, "ms");
  row("the same, times a bare isolate in process (p50)", one.p50 / floor.p50, 5, "×");
  const sequential = await timed(
    gate,
    "for (let i = 0; i < 10; i++) await local.echo({ i }); return 10;",
    "10",
  );
  row("10 sequential calls, p50", sequential.p50, 4, "ms");
  const parallel = (count: number): string =>
    `return (await Promise.all(Array.from({ length: ${count} }, (_, i) => local.echo({ i })))).length;`;
  row("100 parallel calls, p50", (await timed(gate, parallel(100), "100")).p50, 8, "ms");
  row("1,000 parallel calls, p50", (await timed(gate, parallel(1_000), "1000", 4)).p50, 60, "ms");
  const slow = "await Promise.all([1, 2, 3, 4, 5].map(() => local.slow({ ms: 100 }))); return 5;";
  row("5 parallel calls of 100 ms, p50", (await timed(gate, slow, "5", 8)).p50, 115, "ms");
}
{
  await using gate = await open();
  const total = quick ? 1_000 : 5_000;
  const clients = 8;
  let left = total;
  for (let count = 0; count < 50; count += 1) await gate.run("return 1;", { check: "off" });
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await gate.run("return 1;", { check: "off" });
    }),
  );
  row("throughput, 2 workers, 8 clients", (total / (performance.now() - start)) * 1_000, 500, "runs/s", true);
}
{
  await using gate = await createCallgate({ tools, policy: { default: "allow" }, sandbox: { workers: 1 } });
  await gate.run("return 1;", { check: "off" });
  const idle = Math.max(0, ...childMemory());
  row("memory of a worker with 2 idle isolates", idle, 60, "MB");
  const waiting = 6;
  const until = new AbortController();
  const runs = Array.from({ length: waiting }, () =>
    gate.run("await sleep(60_000);", { check: "off", signal: until.signal }),
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  row("memory of one more isolate, waiting", (Math.max(0, ...childMemory()) - idle) / waiting, 1.5, "MB");
  until.abort();
  await Promise.all(runs);
}
{
  const cleanRuns = quick ? 400 : 5_000;
  await using gate = await createCallgate({
    tools,
    policy: { default: "allow" },
    sandbox: { workers: 1, cleanRuns: cleanRuns * 2 },
  });
  const seen: number[] = [];
  for (let count = 1; count <= cleanRuns; count += 1) {
    await gate.run("return (await local.echo({ i: 1 })).i;", { check: "off" });
    if (count % (cleanRuns / 10) === 0) seen.push(Math.max(0, ...childMemory()));
  }
  const [first = 0] = seen;
  row(
    `growth of a worker from run ${cleanRuns / 10} to run ${cleanRuns}`,
    percentile(seen.slice(-3), 0.5) - first,
    4,
    "MB",
  );
}

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
console.log(
  `\nNode ${process.version}, ${process.platform}-${process.arch}, jitless, bare isolate p50 ${floor.p50.toFixed(2)} ms`,
);
