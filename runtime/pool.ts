// Owns the workers: which principal each serves, how many runs at a time, when each must die.
import { CallgateError } from "../contract/error.ts";
import type { FromWorker, ToWorker } from "../contract/message.ts";
import type { Death, WorkerEvents, WorkerProcess } from "./process/worker-process.ts";

export interface PoolOptions {
  /** Worker processes at one time. */
  readonly workers: number;
  /** Runs at one time in one worker; all of one principal. */
  readonly runsPerWorker: number;
  /** Clean runs after which a worker is retired. */
  readonly cleanRuns: number;
  /** Runs that may wait for a worker. */
  readonly queue: number;
  /** Heap of one isolate that a worker is made for, MB; a run that needs more gets a worker made for it. */
  readonly memoryMb: number;
  readonly start: (events: WorkerEvents, memoryMb: number) => WorkerProcess;
}

/** The worker died under a run. `alone`: no other run was in it; `first`: nor ever had been; `started`: it was once ready. */
export interface Loss {
  readonly death: Death;
  readonly alone: boolean;
  readonly first: boolean;
  readonly started: boolean;
}

/** A run's place in a worker. */
export interface Lease {
  readonly slot: number;
  send(message: ToWorker): Promise<void>;
  onMessage: (message: Exclude<FromWorker, { type: "ready" }>) => void;
  readonly lost: Promise<Loss>;
  /** Kills the worker at once for breaking the protocol; its other runs are told that it was lost. */
  violate(detail: string): void;
  /** Ends the lease; the worker is reused only when `clean`. */
  release(clean: boolean): void;
}

export interface AcquireOptions {
  readonly principal: string;
  /** The run gets a worker of its own, which is killed afterwards. */
  readonly exclusive: boolean;
  /** Heap of its isolate, MB. */
  readonly memoryMb: number;
  readonly signal: AbortSignal;
}

export interface Pool extends AsyncDisposable {
  /** Throws RUN_QUEUE_FULL, DISPOSED, or the signal's reason. */
  acquire(options: AcquireOptions): Promise<Lease>;
  /** Starts one worker ahead of need. */
  warm(): Promise<void>;
}

interface Worker {
  readonly process: WorkerProcess;
  readonly memoryMb: number;
  readonly leases: Map<number, { readonly lease: Lease; readonly lose: (loss: Loss) => void }>;
  principal: string | undefined;
  exclusive: boolean;
  started: boolean;
  /** Takes no more runs: another principal waits for its place. */
  leaving: boolean;
  lastSlot: number;
}

interface Waiting {
  readonly options: AcquireOptions;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
}

export function createPool(options: PoolOptions): Pool {
  const workers = new Set<Worker>();
  const waiting: Waiting[] = [];
  let disposed = false;

  function spawn(memoryMb: number = options.memoryMb): Worker {
    const worker: Worker = {
      process: options.start({ onMessage: (message) => receive(worker, message) }, memoryMb),
      memoryMb,
      leases: new Map(),
      principal: undefined,
      exclusive: false,
      started: false,
      leaving: false,
      lastSlot: 0,
    };
    workers.add(worker);
    worker.process.ready.then(
      () => (worker.started = true),
      () => {},
    );
    void worker.process.died.then((death) => onDeath(worker, death));
    return worker;
  }

  function onDeath(worker: Worker, death: Death): void {
    workers.delete(worker);
    const alone = worker.leases.size === 1;
    const { started, lastSlot } = worker;
    for (const { lose } of worker.leases.values()) lose({ death, alone, first: lastSlot === 1, started });
    worker.leases.clear();
    serve();
    // The next run should not wait for a start. A worker that never started is not tried again without need.
    if (!disposed && worker.started && workers.size === 0) spawn();
  }

  function receive(worker: Worker, message: Exclude<FromWorker, { type: "ready" }>): void {
    const entry = worker.leases.get(message.slot);
    if (entry !== undefined) return entry.lease.onMessage(message);
    // Security: an honest worker says nothing of a run after its end, and nothing of a run that never was. One without
    // runs has no wall limit either, so what it sends would never stop.
    worker.process.kill("a frame for a run it does not have");
  }

  function fits(worker: Worker, wanted: AcquireOptions): boolean {
    if (!worker.process.alive || worker.exclusive || worker.leaving) return false;
    if (worker.memoryMb < wanted.memoryMb) return false;
    if (wanted.exclusive) return worker.principal === undefined;
    if (worker.principal !== undefined && worker.principal !== wanted.principal) return false;
    return worker.leases.size < options.runsPerWorker && worker.lastSlot < options.cleanRuns;
  }

  /** The emptiest worker that may take the run, one of its own principal first. */
  function choose(wanted: AcquireOptions): Worker | undefined {
    let best: Worker | undefined;
    const rank = (worker: Worker): number =>
      worker.leases.size * 2 + (worker.principal === undefined ? 1 : 0);
    for (const worker of workers) {
      if (fits(worker, wanted) && (best === undefined || rank(worker) < rank(best))) best = worker;
    }
    if (best !== undefined) {
      // A shared worker answers at once; another one is started for those that come next.
      if (best.leases.size > 0 && workers.size < options.workers) spawn();
      return best;
    }
    if (workers.size < options.workers) return spawn(Math.max(options.memoryMb, wanted.memoryMb));
    makeRoom(wanted);
    return undefined;
  }

  /** A worker is given up for a principal it may not serve: at once when it has no runs, else when its last one ends. */
  function makeRoom(wanted: AcquireOptions): void {
    const serving = [...workers].filter((worker) => worker.process.alive);
    const idle = serving.find((worker) => worker.leases.size === 0);
    if (idle !== undefined) return idle.process.kill();
    if (serving.length < workers.size || serving.some((worker) => worker.leaving)) return;
    const others = serving.filter(
      ({ principal, memoryMb }) =>
        wanted.exclusive || principal !== wanted.principal || memoryMb < wanted.memoryMb,
    );
    const [least] = others.toSorted((a, b) => a.leases.size - b.leases.size);
    if (least !== undefined) least.leaving = true;
  }

  function lease(worker: Worker, wanted: AcquireOptions): Lease {
    worker.principal = wanted.principal;
    worker.exclusive = wanted.exclusive;
    worker.lastSlot += 1;
    const slot = worker.lastSlot;
    worker.process.hold(true);
    const { promise: lost, resolve: lose } = Promise.withResolvers<Loss>();
    const result: Lease = {
      slot,
      lost,
      send: (message) => worker.process.send(message),
      onMessage: () => {},
      violate: (detail) => worker.process.kill(detail),
      release(clean) {
        if (!worker.leases.delete(slot)) return;
        if (worker.leases.size === 0) worker.process.hold(false);
        void worker.process.send({ type: "end", slot });
        const spent = (worker.leaving || worker.lastSlot >= options.cleanRuns) && worker.leases.size === 0;
        if (!clean || worker.exclusive || spent) worker.process.kill();
        serve();
      },
    };
    worker.leases.set(slot, { lease: result, lose });
    return result;
  }

  /** Gives workers to those that wait, in order; one that does not fit does not hold up the next. */
  function serve(): void {
    if (disposed) return;
    for (const entry of [...waiting]) {
      const worker = choose(entry.options);
      if (worker === undefined) continue;
      const index = waiting.indexOf(entry);
      if (index >= 0) waiting.splice(index, 1);
      entry.resolve(lease(worker, entry.options));
    }
  }

  return {
    async acquire(wanted) {
      if (disposed) throw new CallgateError("DISPOSED", "The gate is closed.");
      wanted.signal.throwIfAborted();
      const worker = choose(wanted);
      if (worker !== undefined) return lease(worker, wanted);
      if (waiting.length >= options.queue) {
        const text = `${waiting.length} runs wait for a worker already (sandbox.queue). Try again later.`;
        throw new CallgateError("RUN_QUEUE_FULL", text);
      }
      const { promise, resolve, reject } = Promise.withResolvers<Lease>();
      const entry: Waiting = { options: wanted, resolve, reject };
      waiting.push(entry);
      const onAbort = (): void => {
        const index = waiting.indexOf(entry);
        if (index >= 0) waiting.splice(index, 1);
        reject(wanted.signal.reason);
      };
      wanted.signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await promise;
      } finally {
        wanted.signal.removeEventListener("abort", onAbort);
      }
    },
    async warm() {
      if (disposed) return;
      const worker = [...workers][0] ?? spawn();
      // Somebody waits: until it is there, it keeps the process.
      worker.process.hold(true);
      try {
        await worker.process.ready;
      } finally {
        if (worker.leases.size === 0) worker.process.hold(false);
      }
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
      for (const entry of waiting.splice(0))
        entry.reject(new CallgateError("DISPOSED", "The gate was closed."));
      const all = [...workers];
      for (const worker of all) {
        worker.process.hold(true);
        worker.process.kill();
      }
      await Promise.all(all.map((worker) => worker.process.died));
    },
  };
}
