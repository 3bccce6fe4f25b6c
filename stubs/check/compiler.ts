// Owns the compiler as the trusted side sees it: one warm thread, a bounded queue, a cache, and the clock that kills.
import type { CompileRequest, CompileResult } from "../../contract/compile.ts";
import { CallgateError } from "../../contract/error.ts";
import type { CatalogInput } from "./catalog-index.ts";
import type { CatalogTools } from "./checked-tools.ts";
import { ResultCache } from "./result-cache.ts";
import { type StopReason, stoppedResult } from "./stopped.ts";
import { startThread, type Thread } from "./thread-handle.ts";
import type { FromThread, Stage } from "./thread-port.ts";

export interface CompilerOptions {
  /** How long one script may take in the thread before the thread is killed, ms. @defaultValue 5 000 */
  readonly timeoutMs?: number;
}

/** Makes runnable JavaScript of a script, and says what is wrong with it. See docs/decisions/0002. */
export interface Compiler extends AsyncDisposable {
  /** Sets the tools that scripts are checked against; may be called again when they change. */
  setCatalog(input: CatalogInput | CatalogTools): void;
  /** Loads TypeScript and checks an empty script, so that the cold cost hides behind connecting. */
  warm(): Promise<void>;
  /**
   * Parses, checks and erases one script. Waits its turn: one at a time, 1 000 in line.
   * @throws CallgateError RUN_ABORTED (signal), RUN_QUEUE_FULL, WORKER_START_FAILED, DISPOSED.
   */
  compile(request: CompileRequest, options: { readonly signal: AbortSignal }): Promise<CompileResult>;
}

interface Job {
  readonly id: number;
  readonly request: CompileRequest;
  readonly resolve: (result: CompileResult) => void;
  readonly reject: (error: CallgateError) => void;
  /** Warnings of an earlier attempt at the same request. */
  readonly told?: CompileResult["diagnostics"];
}

const DEFAULT_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 30_000;
const MAX_QUEUED = 1_000;

/** Starts nothing until the first `warm` or `compile`. */
export function createCompiler(options: CompilerOptions = {}): Compiler {
  return new ThreadCompiler(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

class ThreadCompiler implements Compiler {
  readonly #timeoutMs: number;
  readonly #cache: ResultCache = new ResultCache();
  #queue: Job[] = [];
  #running: Job | undefined;
  #runningKey = "";
  #thread: Thread | undefined;
  #ready = false;
  #clock: NodeJS.Timeout | undefined;
  #catalog: CatalogInput | CatalogTools | undefined;
  /** Hash of the catalog that the thread was told. */
  #told: string | undefined;
  #nextId = 1;
  #disposed = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  setCatalog(input: CatalogInput | CatalogTools): void {
    if (input.hash === this.#catalog?.hash) return;
    this.#catalog = input;
    this.#advance();
  }

  async warm(): Promise<void> {
    await this.#submit({ script: "", check: "error" }, new AbortController().signal, true);
  }

  async compile(request: CompileRequest, options: { readonly signal: AbortSignal }): Promise<CompileResult> {
    return await this.#submit(request, options.signal, false);
  }

  /** `fresh` asks the thread even when the answer is known. */
  async #submit(request: CompileRequest, signal: AbortSignal, fresh: boolean): Promise<CompileResult> {
    if (this.#disposed) throw disposed();
    if (signal.aborted) throw aborted();
    const cached = fresh ? undefined : this.#cache.get(this.#key(request));
    if (cached !== undefined) return cached;
    if (this.#queue.length >= MAX_QUEUED) {
      throw new CallgateError(
        "RUN_QUEUE_FULL",
        `${MAX_QUEUED} scripts wait to be checked already: try again later.`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<CompileResult>();
    const job: Job = { id: this.#nextId++, request, resolve, reject };
    const onAbort = (): void => {
      this.#queue = this.#queue.filter((queued) => queued.id !== job.id);
      reject(aborted());
      this.#advance();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#queue.push(job);
    this.#advance();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const waiting = [...(this.#running === undefined ? [] : [this.#running]), ...this.#queue];
    this.#queue = [];
    const killed = this.#drop();
    for (const job of waiting) job.reject(disposed());
    await killed;
  }

  /** Hands the next job to the thread when both are there; the only place that starts a thread or holds it. */
  #advance(): void {
    if (this.#disposed) return;
    if (this.#thread === undefined && this.#queue.length > 0) this.#start();
    if (this.#ready && this.#running === undefined && this.#told !== this.#catalog?.hash) this.#tell();
    if (this.#ready && this.#running === undefined) {
      const job = this.#queue.shift();
      if (job !== undefined) {
        this.#running = job;
        // Now, not when it was queued: the thread will use the catalog set last.
        this.#runningKey = this.#key(job.request);
        this.#thread?.post({
          kind: "compile",
          id: job.id,
          script: job.request.script,
          check: job.request.check,
        });
        this.#setClock(this.#timeoutMs, () => this.#stopped("timeout", "check"));
      }
    }
    this.#thread?.hold(this.#running !== undefined || this.#queue.length > 0);
  }

  #key(request: CompileRequest): string {
    return ResultCache.key(request, this.#catalog?.hash ?? "");
  }

  #start(): void {
    this.#thread = startThread({
      message: (message) => this.#received(message),
      ended: (error) => this.#ended(error),
    });
    this.#told = undefined;
    this.#awaitReady();
  }

  /** Between two scripts, so that the time it takes is no script's. */
  #tell(): void {
    const catalog = this.#catalog;
    if (catalog === undefined) return;
    this.#thread?.post({ kind: "catalog", catalog });
    this.#told = catalog.hash;
    this.#awaitReady();
  }

  #awaitReady(): void {
    this.#ready = false;
    this.#setClock(START_TIMEOUT_MS, () => this.#ended(new Error(`not ready after ${START_TIMEOUT_MS} ms`)));
  }

  #received(message: FromThread): void {
    if (message.kind === "ready") {
      clearTimeout(this.#clock);
      this.#ready = true;
      this.#advance();
      return;
    }
    const job = this.#running;
    if (job === undefined || job.id !== message.id) return;
    if (message.kind === "failed") {
      this.#stopped(message.reason, message.stage, message.detail);
      return;
    }
    clearTimeout(this.#clock);
    this.#running = undefined;
    if (job.told === undefined) this.#cache.set(this.#runningKey, message.result);
    job.resolve(
      job.told === undefined
        ? message.result
        : { ...message.result, diagnostics: [...job.told, ...message.result.diagnostics] },
    );
    this.#advance();
  }

  #ended(error: Error | undefined): void {
    if (this.#running !== undefined) {
      const memory = (error as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.#stopped(memory ? "memory" : "fault", "check", error?.message);
      return;
    }
    const wasReady = this.#ready;
    void this.#drop();
    if (!wasReady) {
      const waiting = this.#queue;
      this.#queue = [];
      const failure = new CallgateError(
        "WORKER_START_FAILED",
        `The thread that checks scripts could not start: ${(error?.message ?? "it ended").slice(0, 300)}.`,
        error === undefined ? {} : { cause: error },
      );
      for (const job of waiting) job.reject(failure);
    }
    this.#advance();
  }

  /** The thread could not finish a script: it is replaced, and the script gets an answer that says so. */
  #stopped(reason: StopReason, stage: Stage, detail?: string): void {
    const job = this.#running;
    void this.#drop();
    this.#start();
    if (job !== undefined) {
      const check = stage === "parse" ? "off" : job.request.check;
      const result = stoppedResult({ ...job.request, check }, reason, this.#timeoutMs, detail);
      // Under "warn" types never keep a script from running: it is tried again without them.
      if (check === "warn" && job.told === undefined) {
        this.#queue.unshift({ ...job, request: { ...job.request, check: "off" }, told: result.diagnostics });
      } else job.resolve(result);
    }
    this.#advance();
  }

  #drop(): Promise<void> {
    clearTimeout(this.#clock);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#running = undefined;
    this.#ready = false;
    return thread?.kill() ?? Promise.resolve();
  }

  #setClock(ms: number, then: () => void): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(then, ms);
    // The thread is held while it is waited for; the clock itself must not keep an idle process.
    this.#clock.unref();
  }
}

function aborted(): CallgateError {
  return new CallgateError("RUN_ABORTED", "The check of the script was aborted.");
}

function disposed(): CallgateError {
  return new CallgateError("DISPOSED", "The compiler has been closed: create a new one.");
}
