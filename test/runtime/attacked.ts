// Owns a pool whose first worker is an attacker: runs of other principals get honest workers.
import { fileURLToPath } from "node:url";
import type { CallOutcome, CallRequest, CallSlot } from "../../contract/call.ts";
import { DEFAULT_LIMITS, type RunLimits } from "../../contract/limits.ts";
import { createPool, type Pool } from "../../runtime/pool.ts";
import { findAssets } from "../../runtime/process/assets.ts";
import { planLaunch, type Launch } from "../../runtime/process/launch.ts";
import { probePlatform } from "../../runtime/process/platform.ts";
import { startWorkerProcess, type WorkerProcess } from "../../runtime/process/worker-process.ts";
import { createMemoryStore } from "../../runtime/run/memory-store.ts";
import type { Manifest, RunEnd, RunRequest } from "../../runtime/run/request.ts";
import { executeRun } from "../../runtime/runtime.ts";

const ATTACKER = fileURLToPath(new URL("../fixtures/workers/attacker.mjs", import.meta.url));

export interface Attacked extends AsyncDisposable {
  readonly pool: Pool;
  /** In the order they were started. */
  readonly workers: readonly WorkerProcess[];
  /** Calls that were made, as `server.tool`. */
  readonly calls: readonly string[];
  readonly maxAtOnce: number;
  run(principal: string, body: string, options?: RunChanges): Promise<RunEnd>;
}

export interface RunChanges {
  readonly limits?: Partial<RunLimits>;
  readonly exclusive?: boolean;
  readonly signal?: AbortSignal;
}

export async function honestLaunch(): Promise<Launch> {
  return planLaunch(await probePlatform(), {
    ...findAssets(),
    jit: false,
    memoryMb: 64,
    runsPerWorker: 8,
    warm: 1,
    nodePath: process.execPath,
  });
}

export function attackerLaunch(honest: Launch, scenario: string, extra: string = ""): Launch {
  return { ...honest, command: process.execPath, argv: [ATTACKER, scenario, extra] };
}

const target = (tool: string): { server: string; tool: string } => ({ server: "own", tool });
const MANIFEST: Manifest = new Map([
  [
    "own",
    new Map([
      ["count", target("count-raw")],
      ["wait", target("wait")],
      ["large", target("large")],
    ]),
  ],
]);
const LARGE = JSON.stringify("x".repeat(1 << 20));

/** The first `attackers` workers run the scenario, all later ones are honest. */
export async function attacked(
  scenario: string,
  extra: string = "",
  attackers: number = 1,
): Promise<Attacked> {
  const honest = await honestLaunch();
  const workers: WorkerProcess[] = [];
  const calls: string[] = [];
  const closing = new AbortController();
  let atOnce = 0;
  let maxAtOnce = 0;
  const pool = createPool({
    workers: 2,
    runsPerWorker: 8,
    cleanRuns: 200,
    queue: 100,
    memoryMb: 64,
    start(events) {
      const launch = workers.length < attackers ? attackerLaunch(honest, scenario, extra) : honest;
      const worker = startWorkerProcess(launch, events);
      workers.push(worker);
      return worker;
    },
  });

  async function perform(
    { server, tool }: CallRequest,
    signal: AbortSignal,
    slot: CallSlot,
  ): Promise<CallOutcome> {
    const taken = await slot.take().then(
      () => true,
      () => false,
    );
    if (!taken) return { ok: true, valueJson: "null" };
    calls.push(`${server}.${tool}`);
    atOnce += 1;
    maxAtOnce = Math.max(maxAtOnce, atOnce);
    try {
      if (tool === "wait") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ok: true, valueJson: tool === "large" ? LARGE : String(calls.length) };
    } finally {
      atOnce -= 1;
    }
  }

  return {
    pool,
    workers,
    calls,
    get maxAtOnce() {
      return maxAtOnce;
    },
    run(principal, body, { limits, exclusive = false, signal } = {}) {
      const request: RunRequest = {
        runId: `${principal}-${calls.length}`,
        principal,
        script: body,
        code: `(async function () { "use strict";\n${body}\n})`,
        lineOffset: 0,
        manifest: MANIFEST,
        seed: "0".repeat(32),
        timeZone: "UTC",
        limits: { ...DEFAULT_LIMITS, wallMs: 10_000, ...limits },
        call: (call, { signal: over, slot }) => perform(call, over, slot),
        emitted: () => undefined,
        store: createMemoryStore(),
        at: Date.now(),
        clock: Date.now,
        redact: (text) => text,
        signal,
      };
      return executeRun(pool, request, closing.signal, exclusive);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await pool[Symbol.asyncDispose]();
    },
  };
}
