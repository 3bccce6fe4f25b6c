// Owns the path of a run through the workers: lease, attach, move after a loss, release.
import { CallgateError } from "../contract/error.ts";
import type { SandboxReport } from "../contract/result.ts";
import { createPool, type Lease, type Loss, type Pool } from "./pool.ts";
import { findAssets } from "./process/assets.ts";
import { planLaunch, requireContained, withPermissions, type Launch } from "./process/launch.ts";
import { probePlatform } from "./process/platform.ts";
import { startWorkerProcess } from "./process/worker-process.ts";
import type { RunEnd, RunRequest, StopCode } from "./run/request.ts";
import { createRun, type Run } from "./run/run.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

export interface Runtime extends AsyncDisposable {
  /** What the sandbox achieves on this machine. */
  readonly sandbox: SandboxReport;
  /** Never rejects; every failure is a cause. */
  run(request: RunRequest): Promise<RunEnd>;
}

export interface RuntimeOptions {
  readonly sandbox: Required<SandboxOptions>;
  /** Heap of the isolates kept warm, MB. */
  readonly memoryMb: number;
}

const WARM_ISOLATES = 2;
/** Workers a run may lose, by no fault of its own, before it is given up. */
const MOVES = 3;

/** Probes the machine and starts the first worker. Throws WORKER_START_FAILED when `require` is not met. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { sandbox } = options;
  const runsPerWorker = sandbox.isolation === "process" ? 1 : sandbox.runsPerWorker;
  const platform = await probePlatform();
  const assets = findAssets();
  const plan = (memoryMb: number): Launch =>
    planLaunch(platform, {
      ...assets,
      jit: sandbox.jit,
      memoryMb,
      runsPerWorker,
      warm: WARM_ISOLATES,
      nodePath: process.execPath,
    });
  const launch = plan(options.memoryMb);
  requireContained(launch.report, sandbox.require);
  let report = launch.report;
  const pool = createPool({
    workers: sandbox.workers,
    runsPerWorker,
    cleanRuns: sandbox.isolation === "process" ? 1 : sandbox.cleanRuns,
    queue: sandbox.queue,
    memoryMb: options.memoryMb,
    start: (events, memoryMb) => {
      const worker = startWorkerProcess(memoryMb === options.memoryMb ? launch : plan(memoryMb), events);
      worker.ready.then(
        (permissions) => (report = withPermissions(launch.report, permissions)),
        () => {},
      );
      return worker;
    },
  });
  const closing = new AbortController();
  await pool.warm().catch(() => {
    // The first run meets the same failure and reports it.
  });
  return {
    get sandbox() {
      return report;
    },
    run: (request) => executeRun(pool, request, closing.signal, sandbox.isolation === "process"),
    async [Symbol.asyncDispose]() {
      closing.abort(new CallgateError("DISPOSED", "The gate was closed."));
      await pool[Symbol.asyncDispose]();
    },
  };
}

/** Serves a run to its end, moving it when it loses a worker by no fault of its own. Never rejects. */
export async function executeRun(
  pool: Pool,
  request: RunRequest,
  closing: AbortSignal,
  exclusive: boolean,
): Promise<RunEnd> {
  const signal = request.signal === undefined ? closing : AbortSignal.any([closing, request.signal]);
  let run: Run | undefined;
  let alone = exclusive;
  for (let attempt = 1; ; attempt += 1) {
    let lease: Lease;
    try {
      const { principal, limits } = request;
      lease = await pool.acquire({ principal, exclusive: alone, memoryMb: limits.memoryMb, signal });
    } catch (error) {
      run ??= createRun(request);
      run.stop(...refusal(error, closing));
      return run.end();
    }
    run ??= createRun(request);
    const loss = await serve(run, lease, closing);
    if (loss === undefined) return run.end();
    const verdict = judge(loss, attempt, run);
    if (verdict !== undefined) {
      run.stop(...verdict);
      return run.end();
    }
    // Killed for another run's sake: any worker will do, at first. Died of something unknown: whoever dies alone is guilty.
    alone = exclusive || loss.death.cause !== "killed" || attempt > 1;
  }
}

/** Resolves when the run has settled, or with the loss of its worker. */
async function serve(run: Run, lease: Lease, closing: AbortSignal): Promise<Loss | undefined> {
  lease.onMessage = run.receive;
  const onClose = (): void => run.stop("DISPOSED", "The gate was closed.");
  closing.addEventListener("abort", onClose, { once: true });
  try {
    run.attach({ slot: lease.slot, send: lease.send, violate: lease.violate });
    const loss = await Promise.race([run.settled.then(() => undefined), lease.lost]);
    if (loss === undefined) lease.release(run.clean);
    return loss;
  } finally {
    closing.removeEventListener("abort", onClose);
    run.detach();
  }
}

type Stop = [code: StopCode, message?: string];

/** What a lost worker means for this run; undefined = it moves to another worker. */
function judge(loss: Loss, attempt: number, run: Run): Stop | undefined {
  const { death, alone, first, started } = loss;
  if (!started) {
    if (attempt < MOVES && death.cause === "killed") return undefined;
    return ["WORKER_START_FAILED", `The worker did not start: ${death.detail}`];
  }
  if (death.cause === "violation") {
    return ["WORKER_PROTOCOL_VIOLATION", `The worker broke the protocol (${death.detail}) and was killed.`];
  }
  // What an earlier run left behind may have killed the worker: guilty is whoever does it in a worker of its own.
  const guilty = alone && (first || !run.movable || attempt > MOVES);
  if (guilty && death.cause === "memory") return ["RUN_MEMORY_LIMIT"];
  if (guilty && death.cause === "crash") return ["WORKER_CRASHED", `The worker died: ${death.detail}`];
  if (!run.movable)
    return ["WORKER_CRASHED", "The worker died, and the run's record is too large to repeat."];
  if (attempt > MOVES) return ["WORKER_CRASHED", `The run lost ${attempt} workers: ${death.detail}`];
  return undefined;
}

function refusal(error: unknown, closing: AbortSignal): Stop {
  if (closing.aborted) return ["DISPOSED", "The gate was closed."];
  if (CallgateError.is(error)) return [error.code as StopCode, error.message];
  return ["RUN_ABORTED"];
}
