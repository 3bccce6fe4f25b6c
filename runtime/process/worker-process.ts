// Owns one worker process: start, frames, death. Security: after `kill` every frame of it is ignored.
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { CallgateError } from "../../contract/error.ts";
import { corkPerTurn, encodeFrame } from "../../contract/frame.ts";
import type { FromWorker, ToWorker } from "../../contract/message.ts";
import { createFramesOfWorker } from "./frames-of-worker.ts";
import type { Launch } from "./launch.ts";
import { parseFromWorker } from "./messages.ts";

/** How a worker died: `killed` = by us; `memory` = the system or V8 refused it more; `violation` = it broke the protocol. */
export interface Death {
  readonly cause: "killed" | "memory" | "violation" | "crash";
  /** One bounded line. */
  readonly detail: string;
}

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Settles when the worker can take runs, with the permissions it still holds; rejects with WORKER_START_FAILED. */
  readonly ready: Promise<readonly string[]>;
  /** Settles once, when the process has exited. */
  readonly died: Promise<Death>;
  readonly alive: boolean;
  /** Resolves when the channel can take more. */
  send(message: ToWorker): Promise<void>;
  /** SIGKILL. Idempotent; frames that arrive later are dropped. `violation` says how it broke the protocol. */
  kill(violation?: string): void;
  /** Whether this worker keeps the broker's process alive. It does not while it has no runs. */
  hold(held: boolean): void;
}

export interface WorkerEvents {
  readonly onMessage: (message: Exclude<FromWorker, { type: "ready" }>) => void;
}

const STDERR_BYTES = 8_192;
/** More than any honest worker's last words. */
const STDERR_MOST_BYTES = 1 << 20;
const START_TIMEOUT_MS = 20_000;
const WATCHDOG_MS = 25;
const PAGE_MB = 4_096 / (1 << 20);
const OUT_OF_MEMORY = /out of memory|allocation failed|bad_alloc|Cannot allocate|Check failed|OOM/iu;
const MEMORY_SIGNALS: ReadonlySet<string> = new Set([
  "SIGABRT",
  "SIGSEGV",
  "SIGKILL",
  "SIGTRAP",
  "SIGBUS",
  "SIGILL",
]);

/** Security: a worker writes what it likes to stderr, and Node names files of this machine there. */
function lastWords(stderr: string): string {
  return stderr
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/(?:file:\/\/|[A-Za-z]:)?[/\\][^\s:()]*[/\\]/gu, "")
    .slice(-200);
}

export function startWorkerProcess(launch: Launch, events: WorkerEvents): WorkerProcess {
  const child: ChildProcess = spawn(launch.command, launch.argv, {
    cwd: "/",
    // Security: nothing of the broker's environment; TZ makes Date in the guest independent of the machine.
    env: { TZ: "UTC", LANG: "en_US.UTF-8" },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  // Node gives a child no streams when the process has no file descriptors left for them.
  if ((child.stdio as unknown) === undefined) return stillborn(child);
  const channel = child.stdio[3] as Socket;
  const stderrStream = child.stderr as Socket;
  const corked = corkPerTurn(channel);
  const frames = createFramesOfWorker();
  let stderr = "";
  let stderrBytes = 0;
  let held = false;
  let doomed: Death | undefined;
  let started = false;
  let watchdog: NodeJS.Timeout | undefined;

  const {
    promise: ready,
    resolve: resolveReady,
    reject: rejectReady,
  } = Promise.withResolvers<readonly string[]>();
  const { promise: died, resolve: resolveDied } = Promise.withResolvers<Death>();
  ready.catch(() => {});
  const startTimer = setTimeout(
    () => doom({ cause: "crash", detail: "no answer at start" }),
    START_TIMEOUT_MS,
  );
  startTimer.unref();

  function doom(death: Death): void {
    if (doomed !== undefined) return;
    doomed = death;
    // Whoever waits for its place waits for its end.
    reference("ref");
    child.kill("SIGKILL");
  }

  function receive(value: unknown): void {
    const message = parseFromWorker(value);
    if (message === undefined) return doom({ cause: "violation", detail: "a frame of unknown shape" });
    if (message.type !== "ready") return events.onMessage(message);
    if (started) return doom({ cause: "violation", detail: "ready twice" });
    started = true;
    clearTimeout(startTimer);
    if (launch.watchdogMb !== undefined) watchdog = setInterval(watch, WATCHDOG_MS, launch.watchdogMb);
    watchdog?.unref();
    resolveReady(message.permissions);
  }

  function watch(limitMb: number): void {
    try {
      const pages = Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]);
      if (pages * PAGE_MB > limitMb) doom({ cause: "memory", detail: `resident memory over ${limitMb} MB` });
    } catch {
      // The process has just exited.
    }
  }

  function judge(code: number | null, signal: string | null): Death {
    if (doomed !== undefined) return doomed;
    const detail = `${signal ?? `exit code ${code}`} ${lastWords(stderr)}`.trim();
    const memory = OUT_OF_MEMORY.test(stderr) || (signal !== null && MEMORY_SIGNALS.has(signal));
    return { cause: memory ? "memory" : "crash", detail };
  }

  channel.on("data", (chunk: Buffer) => {
    if (doomed !== undefined) return;
    // Security: without a run there is no wall limit that would end a slow or endless frame.
    if (started && !held) return doom({ cause: "violation", detail: "a frame while it had no run" });
    try {
      for (const value of frames.read(chunk)) {
        receive(value);
        if (doomed !== undefined) return;
      }
    } catch (error) {
      // Security: what JSON.parse says repeats what the worker wrote.
      const what = error instanceof RangeError ? error.message.slice(0, 100) : "not JSON";
      doom({ cause: "violation", detail: `a malformed frame: ${what}` });
    }
  });
  channel.on("error", () => {});
  stderrStream.on("data", (chunk: Buffer) => {
    stderrBytes += chunk.length;
    if (stderrBytes > STDERR_MOST_BYTES) return doom({ cause: "violation", detail: "too much on stderr" });
    stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_BYTES);
  });

  function hold(next: boolean): void {
    held = next;
    if (doomed === undefined) reference(held ? "ref" : "unref");
  }

  function reference(change: "ref" | "unref"): void {
    child[change]();
    channel[change]();
    stderrStream[change]();
  }

  let finished = false;
  function finish(death: Death): void {
    if (finished) return;
    finished = true;
    clearTimeout(startTimer);
    clearInterval(watchdog);
    doomed ??= death;
    channel.destroy();
    rejectReady(new CallgateError("WORKER_START_FAILED", `The worker did not start: ${death.detail}`));
    resolveDied(death);
  }
  child.on("error", (error) => finish({ cause: "crash", detail: lastWords(error.message) }));
  // `close` rather than `exit`: the last frames and the last words on stderr are read before the verdict.
  child.on("close", (code, signal) => finish(judge(code, signal)));

  hold(false);
  return {
    pid: child.pid,
    ready,
    died,
    get alive() {
      return doomed === undefined;
    },
    send(message) {
      if (doomed !== undefined || channel.destroyed) return Promise.resolve();
      corked.next();
      if (channel.write(encodeFrame(message))) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      channel.once("drain", resolve);
      channel.once("close", resolve);
      return promise.finally(() => {
        channel.off("drain", resolve);
        channel.off("close", resolve);
      });
    },
    kill: (violation) =>
      doom({
        cause: violation === undefined ? "killed" : "violation",
        detail: violation ?? "killed by the broker",
      }),
    hold,
  };
}

function stillborn(child: ChildProcess): WorkerProcess {
  const died = new Promise<Death>((resolve) => {
    child.on("error", (error) => resolve({ cause: "crash", detail: lastWords(error.message) }));
  });
  const ready = died.then(({ detail }) => {
    throw new CallgateError("WORKER_START_FAILED", `The worker did not start: ${detail}`);
  });
  ready.catch(() => {});
  return { pid: undefined, ready, died, alive: false, send: async () => {}, kill: () => {}, hold: () => {} };
}
