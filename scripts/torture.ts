// Runs every hostile script many times, shuffled, beside innocent runs; then a worker for thousands of clean runs; then
// kills servers at random moments.
import { parseArgs } from "node:util";
import { createCallgate } from "../index.ts";
import { openBattery } from "../test/escape/battery.ts";
import { dataCases, ownCases } from "../test/escape/cases.ts";
import { childrenOf, residentMb } from "../test/escape/children.ts";
import { DATA_LIMITS } from "../test/escape/limits.ts";
import type { HostileCase } from "../test/fixtures/hostile/case.ts";
import { randomOf, shuffled } from "../test/support/random.ts";
import { storm } from "../test/broker/upstream/kill-storm.ts";
import { buildWorker } from "./build-worker.ts";

const PER_BATTERY = 50;
/** What the host may grow from its second round to its last, MB. */
const HOST_GROWTH_MB = 150;
/** What a worker may grow after its first 500 clean runs, MB. */
const WORKER_GROWTH_MB = 15;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    soak: { type: "string", default: "5000" },
    kills: { type: "string", default: "0" },
  },
});
const rounds = Number(values.rounds);
const soak = Number(values.soak);
const kills = Number(values.kills);
const seed = Number(values.seed);
if (![rounds, soak, seed, kills].every((value) => Number.isSafeInteger(value) && value >= 0)) {
  console.error("usage: torture [--rounds N] [--seed N] [--soak N] [--kills N]");
  process.exit(2);
}

const hostMb = (): number => Math.round(process.memoryUsage().rss / (1 << 20));
const failures: string[] = [];
/** Least seen in this round: memory that is not yet collected comes and goes. */
let leastMb = 0;

async function attackAll(cases: readonly HostileCase[], round: number): Promise<void> {
  for (let at = 0; at < cases.length; at += PER_BATTERY) {
    const battery = await openBattery(DATA_LIMITS);
    for (const hostile of cases.slice(at, at + PER_BATTERY)) {
      for (const problem of await battery.attack(hostile)) {
        failures.push(`round ${round}, ${hostile.id}: ${problem}`);
        console.log(`  FAILED ${failures.at(-1)}`);
      }
    }
    leastMb = Math.min(leastMb, hostMb());
    try {
      await battery[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(`round ${round}: ${String(error)}`);
      console.log(`  FAILED ${failures.at(-1)}`);
    }
  }
}

async function soakOneWorker(): Promise<void> {
  const others = new Set(childrenOf());
  const workerMb = (): number =>
    Math.max(...childrenOf().map((pid) => (others.has(pid) ? 0 : residentMb(pid))));
  await using gate = await createCallgate({ sandbox: { workers: 1, cleanRuns: 1_000_000 } });
  const script =
    "const rows = Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(20) })); console.log(rows.length); await sleep(0); return new URL('https://example.org/?a=1').search;";
  let first = 0;
  for (let run = 1; run <= soak; run += 1) {
    const { error } = await gate.run(script, { check: "off" });
    if (error !== undefined) failures.push(`soak, run ${run}: ${error.code} ${error.message}`);
    if (run === 500) first = workerMb();
    if (run % 1_000 === 0) console.log(`  ${run} runs: worker ${Math.round(workerMb())} MB`);
  }
  const growth = workerMb() - first;
  if (soak > 500 && growth > WORKER_GROWTH_MB)
    failures.push(`soak: the worker grew by ${Math.round(growth)} MB`);
}

async function killServers(): Promise<void> {
  const random = randomOf(seed);
  let killed = 0;
  for (let round = 1; killed < kills; round += 1) {
    const one = await storm(String(round), random);
    killed += one.kills;
    failures.push(...one.problems);
    console.log(`  ${killed} servers killed: ${one.problems.length} problems`);
  }
}

await buildWorker();
const cases = [...Object.values(ownCases).flat(), ...dataCases];
console.log(`${cases.length} hostile scripts, ${rounds} rounds, seed ${seed}`);
let settledMb = 0;
for (let round = 1; round <= rounds; round += 1) {
  const since = performance.now();
  leastMb = Number.POSITIVE_INFINITY;
  await attackAll(shuffled(cases, randomOf(seed + round)), round);
  const seconds = Math.round((performance.now() - since) / 1_000);
  console.log(`round ${round}: ${failures.length} failures so far, ${seconds} s, host ${leastMb} MB`);
  if (round === 2) settledMb = leastMb;
}
if (rounds > 2 && leastMb - settledMb > HOST_GROWTH_MB)
  failures.push(`the host grew from ${settledMb} to ${leastMb} MB`);
if (soak > 0) await soakOneWorker();
if (kills > 0) await killServers();
console.log(failures.length === 0 ? "all contained" : `${failures.length} failures:\n${failures.join("\n")}`);
process.exitCode = failures.length === 0 ? 0 : 1;
