// Owns the composition: the only file that joins stubs, runtime and broker.
import { randomBytes, randomUUID } from "node:crypto";
import { openBrokerSide, type BrokerSide } from "./broker/broker-side.ts";
import type { PolicyInspector } from "./broker/policy-inspector.ts";
import type { UpstreamStatus } from "./broker/upstream/upstream.ts";
import type { RunWitness } from "./broker/witness.ts";
import type { CallReceipt } from "./contract/call.ts";
import type { CheckMode, CompileRequest, CompileResult } from "./contract/compile.ts";
import { READ_CONTENT } from "./contract/content.ts";
import type { Diagnostic } from "./contract/diagnostic.ts";
import { CallgateError } from "./contract/error.ts";
import { parseLimits, type RunLimits } from "./contract/limits.ts";
import type { RunEvent, RunStart, RunStore } from "./contract/record.ts";
import type { RunResult } from "./contract/result.ts";
import {
  checkGateOptions,
  checkRemoval,
  checkRun,
  parseTimeZone,
  policyLayers,
  unknownServer,
} from "./gate-options.ts";
import type { CallgateOptions, Gate, RemoveServerOptions, RunOptions } from "./gate.ts";
import { createMemoryStore } from "./runtime/run/memory-store.ts";
import { manifestText, parseManifest } from "./runtime/run/manifest.ts";
import type { CallPort, RunEnd, RunRequest } from "./runtime/run/request.ts";
import { endedResult, refusedResult } from "./runtime/run/result.ts";
import { createRuntime, type Runtime } from "./runtime/runtime.ts";
import { parseSandbox } from "./runtime/sandbox-options.ts";
import { normaliseScript } from "./runtime/script/normalise.ts";
import { prepareScript, type Prepared } from "./runtime/script/prepare.ts";
import { BUILTIN_SERVER, callCatalog } from "./stubs/catalog-calls.ts";
import { createCatalogFace } from "./stubs/catalog-face.ts";
import { createCurrentTooling, type CurrentTooling } from "./stubs/current-tooling.ts";
import { createCompiler, type Compiler } from "./stubs/check/compiler.ts";
import { explainUnavailable } from "./stubs/check/unavailable.ts";
import { instructions } from "./stubs/instructions.ts";
import { createMetaTools } from "./stubs/meta-tools.ts";
import { nearestCalls, type Tooling } from "./stubs/tooling.ts";

interface Parts {
  readonly options: CallgateOptions;
  readonly limits: RunLimits;
  readonly side: BrokerSide;
  readonly compiler: Compiler;
  readonly runtime: Runtime;
  readonly store: RunStore;
}

/**
 * Opens a gate: starts the sandbox and lists the tools of every server, all at once; the type checker loads meanwhile. A
 * server that fails is named by `servers()`; the others work. Throws CONFIG_INVALID, CONFIG_POLICY_INVALID, WORKER_START_FAILED.
 */
export async function createCallgate(options: CallgateOptions = {}): Promise<Gate> {
  checkGateOptions(options);
  const limits = parseLimits(options.limits);
  const sandbox = parseSandbox(options.sandbox);
  const side = await openBrokerSide({ ...options, policy: policyLayers(options), reserved: BUILTIN_SERVER });
  const compiler = createCompiler();
  // Nobody waits for it before the first script, which also is told when the checker cannot start.
  compiler.warm().catch(() => {});
  const starting = createRuntime({ sandbox, memoryMb: limits.memoryMb });
  try {
    const loading = side.broker.lists.load({});
    const [runtime] = await Promise.all([starting, loading]);
    const store = options.store ?? createMemoryStore();
    return new OpenGate({ options, limits, side, compiler, runtime, store });
  } catch (error) {
    await Promise.allSettled([starting.then(dispose), dispose(side), dispose(compiler)]);
    throw error;
  }
}

class OpenGate implements Gate {
  readonly catalog: Gate["catalog"];
  readonly #parts: Parts;
  readonly #running: Set<Promise<unknown>> = new Set();
  readonly #tooling: CurrentTooling;
  #closed: Promise<void> | undefined;
  readonly #closing: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { lists } = parts.side.broker;
    this.#tooling = createCurrentTooling(
      {
        load: (needed) => lists.load({ needed }),
        tools: lists.tools,
        outdated: lists.outdated,
        revived: lists.revived,
      },
      { catalog: parts.options.catalog ?? {}, made: (tools) => parts.compiler.setCatalog(tools) },
    );
    lists.onChanged(this.#tooling.outdate);
    this.catalog = createCatalogFace({
      now: this.#tooling.now,
      fresh: () => this.#track(() => this.#tooling.fresh()),
    });
  }

  get sandbox(): Gate["sandbox"] {
    return this.#parts.runtime.sandbox;
  }

  get notes(): readonly string[] {
    return [...this.#parts.side.notes(), ...this.#tooling.now().notes];
  }

  get pins(): Gate["pins"] {
    const { pins } = this.#parts.side;
    if (pins === undefined) return undefined;
    return {
      changes: pins.changes,
      accept: async (changes) => {
        const count = await pins.accept(changes);
        this.#tooling.outdate();
        return count;
      },
    };
  }

  get policy(): Gate["policy"] {
    const looking = async <Result>(look: (inspector: PolicyInspector) => Result): Promise<Result> =>
      this.#track(async () => {
        await this.#tooling.fresh();
        return look(this.#parts.side.inspector);
      });
    return {
      check: () => looking((inspector) => inspector.check()),
      explain: (tool, args, options) => looking((inspector) => inspector.explain(tool, args, options)),
    };
  }

  servers(): ReturnType<Gate["servers"]> {
    return this.#parts.side.broker.statuses();
  }

  addServer(name: string, config: unknown): Promise<UpstreamStatus> {
    return this.#track(async () => {
      this.#parts.side.addServer(name, config);
      this.#tooling.outdate();
      await this.#tooling.fresh();
      return this.servers().find(({ server }) => server === name) as UpstreamStatus;
    });
  }

  async removeServer(name: string, options: RemoveServerOptions = {}): Promise<void> {
    checkRemoval(options);
    const { side } = this.#parts;
    const { lists } = side.broker;
    const leaving = lists.upstreams().find(({ server }) => server === name);
    if (leaving === undefined) throw unknownServer(name, this.servers());
    // A conversation that ended with an error has ended too. A gate that closes takes the server with it.
    await Promise.race([Promise.allSettled([options.after]), this.#closing.promise]);
    // Removed by another call meanwhile; its name may be that of a new server.
    if (this.#closed !== undefined || !lists.upstreams().includes(leaving)) return;
    await this.#track(async () => {
      await side.removeServer(name, options.inFlight ?? "finish");
      this.#tooling.outdate();
      await this.#tooling.fresh();
    });
  }

  instructions(): string {
    return instructions(this.#tooling.now().catalog.text().text, this.#parts.side.tokens.note);
  }

  metaTools(): ReturnType<Gate["metaTools"]> {
    return createMetaTools<RunOptions>({
      catalog: () => this.#tooling.now().catalog,
      fresh: async () => (await this.#track(() => this.#tooling.fresh())).catalog,
      run: (script, options) => this.run(script, options),
      note: this.#parts.side.tokens.note,
    });
  }

  async check(script: string): Promise<readonly Diagnostic[]> {
    return this.#track(async () => {
      checkRun(script, {});
      await this.#tooling.fresh(script);
      const prepared = await this.#prepare(script, "error", this.#parts.limits, undefined);
      if (prepared.error === undefined || prepared.diagnostics.length > 0) return prepared.diagnostics;
      const { code, message, line = 1, column = 1 } = prepared.error;
      return [{ severity: "error", code, message, line, column, source: "" }];
    });
  }

  run(script: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#track(async () => {
      checkRun(script, options);
      const limits = parseLimits(options.limits, this.#parts.limits);
      const timeZone = parseTimeZone(options.timeZone);
      const { principal = "default", labels = [] } = options;
      const { policyHash: policy, witness: watching } = this.#parts.side;
      const facts = { runId: randomUUID(), principal, policy, labels, script };
      return watching.run(facts, (witness) =>
        this.#run(script, options, { ...facts, limits, timeZone, witness }),
      );
    });
  }

  async #run(script: string, options: RunOptions, facts: RunFacts): Promise<RunResult> {
    const { runId, principal, labels, limits, timeZone, witness } = facts;
    const since = performance.now();
    const { catalog, manifest } = await this.#tooling.fresh(script);
    const prepared = await witness.check(() =>
      this.#prepare(script, options.check ?? "error", limits, options.signal),
    );
    if (prepared.error !== undefined) {
      const wallMs = Math.round(performance.now() - since);
      const { error, diagnostics } = prepared;
      return refusedResult({ runId, error, diagnostics, limits, wallMs, sandbox: this.sandbox });
    }
    const start: RunStart = {
      runId,
      principal,
      script,
      code: prepared.code,
      manifestJson: manifestText(manifest),
      seed: randomBytes(16).toString("hex"),
      at: Date.now(),
      timeZone,
      limits,
    };
    await this.#parts.store.create(start);
    const calls = this.#parts.side.broker.openRun({
      runId,
      principal,
      limits,
      labels,
      script,
      constants: prepared.constants,
      dryRun: options.dryRun,
      witness,
      approve: options.approve,
      elicit: options.elicit,
      onProgress: options.onProgress,
    });
    const call: CallPort = async (request, callOptions) => {
      if (request.server !== BUILTIN_SERVER) return calls.call(request, callOptions);
      // Results of these are no smaller than those of other calls.
      await callOptions.slot.take().catch(() => {});
      return request.tool === READ_CONTENT ? calls.read(request) : callCatalog(catalog, request);
    };
    const { redact, emitted } = calls;
    const end = await this.#execute(start, prepared.script.lineOffset, manifest, call, {
      redact,
      emitted,
      signal: options.signal,
    });
    await Promise.resolve(this.#parts.store.end(runId)).catch(() => {
      // The run is over; a store that cannot note it keeps the record longer.
    });
    calls.end();
    for (const pending of end.pending) if (!pending.sent) calls.unsent(pending);
    return this.#ended(start, prepared, end, redact, calls.receipts());
  }

  replay(runId: string): Promise<RunResult> {
    return this.#track(async () => {
      const record = await this.#parts.store.load(runId);
      if (record === undefined) {
        throw new CallgateError(
          "CONFIG_INVALID",
          `There is no record of run ${JSON.stringify(String(runId).slice(0, 80))}.`,
        );
      }
      const { start, events } = record;
      const script = normaliseScript(start.script);
      const never: CallPort = () => Promise.reject(new Error("a replayed run makes no calls"));
      const run = { labels: new Set<string>(), returned: () => {} };
      const { redact } = this.#parts.side.tokens.open(start.principal, run);
      const end = await this.#execute(start, script.lineOffset, parseManifest(start.manifestJson), never, {
        redact,
        emitted: () => undefined,
        signal: undefined,
        events,
      });
      return this.#ended(start, { code: start.code, script, diagnostics: [] }, end, redact, []);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.resolve();
    this.#closed ??= (async () => {
      const { runtime, compiler, side } = this.#parts;
      const closed = await Promise.allSettled([dispose(runtime), dispose(compiler)]);
      await Promise.allSettled(this.#running);
      closed.push(...(await Promise.allSettled([dispose(side)])));
      const failed = closed.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    })();
    return this.#closed;
  }

  #execute(
    start: RunStart,
    lineOffset: number,
    manifest: Tooling["manifest"],
    call: CallPort,
    options: {
      readonly redact: (text: string) => string;
      readonly emitted: RunRequest["emitted"];
      readonly signal: AbortSignal | undefined;
      readonly events?: readonly RunEvent[];
    },
  ): ReturnType<Runtime["run"]> {
    const { store, runtime } = this.#parts;
    const { redact, emitted, signal, events } = options;
    return runtime.run({
      ...start,
      lineOffset,
      manifest,
      call,
      store,
      clock: Date.now,
      redact,
      emitted,
      signal,
      ...(events !== undefined && { replay: { at: start.at, events } }),
    });
  }

  #ended(
    start: RunStart,
    prepared: Runnable,
    end: RunEnd,
    redact: (text: string) => string,
    calls: readonly CallReceipt[],
  ): RunResult {
    const { runId, script: written } = start;
    const { script, diagnostics } = prepared;
    const nearest = nearestCalls(this.#tooling.now());
    const facts = { runId, written, script, diagnostics, end, calls, redact, nearest };
    return endedResult({ ...facts, sandbox: this.sandbox });
  }

  #prepare(
    script: string,
    check: CheckMode,
    limits: RunLimits,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Prepared> {
    const { side, compiler } = this.#parts;
    const compile = async (request: CompileRequest): Promise<CompileResult> => {
      const compiled = await compiler.compile(request, { signal });
      return {
        ...compiled,
        diagnostics: explainUnavailable(compiled.diagnostics, side.broker.lists.missing()),
      };
    };
    return prepareScript(script, { check, scriptBytes: limits.scriptBytes, compile });
  }

  /** Refuses work on a closed gate, and lets closing wait for what is under way. */
  async #track<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw new CallgateError("DISPOSED", "The gate is closed.");
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

interface RunFacts {
  readonly runId: string;
  readonly principal: string;
  readonly labels: readonly string[];
  readonly limits: RunLimits;
  readonly timeZone: string;
  readonly witness: RunWitness;
}

type Runnable = Omit<Extract<Prepared, { readonly code: string }>, "constants">;

function dispose(resource: AsyncDisposable): PromiseLike<void> {
  return resource[Symbol.asyncDispose]();
}
