// Owns the upstreams and opens the call path of each run.
import type { CallOutcome, CallReceipt, CallRequest } from "../contract/call.ts";
import type { EmittedContent } from "../contract/content.ts";
import type { Approve } from "../contract/decision.ts";
import type { JsonValue } from "../contract/json.ts";
import type { RunLimits } from "../contract/limits.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { createApprovals } from "./approval.ts";
import { createBudgets } from "./budget.ts";
import { emittedContent, readContent } from "./content/read.ts";
import { createContentStore } from "./content/store.ts";
import type { DispatchOptions, FoundTool } from "./call-context.ts";
import { createPlan } from "./dry-run.ts";
import { dispatch } from "./dispatch.ts";
import { createGrantStore } from "./grants.ts";
import { createLabelOrigins } from "./label-origins.ts";
import type { Pins } from "./pins.ts";
import { collectLiterals, type LiteralSet } from "./policy/literals.ts";
import type { Policy } from "./policy/parse.ts";
import { createReceipts } from "./receipts.ts";
import { callError, callName } from "./refusal.ts";
import type { Tokens } from "./tokenize.ts";
import { tracked } from "./tracked.ts";
import { raced, settledWithin, systemClock } from "./upstream/clock.ts";
import { createDeadline } from "./upstream/deadline.ts";
import type { Accept, Progress, Upstream, UpstreamStatus } from "./upstream/upstream.ts";
import type { RunWitness } from "./witness.ts";

export interface BrokerOptions {
  readonly upstreams: readonly Upstream[];
  readonly policy: Policy;
  readonly approve: Approve | undefined;
  /** Makes what runs show, and what they get back. */
  readonly tokens: Tokens;
  /** Without, no tool is held back. */
  readonly pins?: Pins | undefined;
  /** How long a person may take over one approval, ms. @defaultValue 300 000 */
  readonly approvalTimeoutMs?: number;
}

export interface RunFacts {
  readonly runId: string;
  readonly principal: string;
  readonly limits: RunLimits;
  /** Labels of what the conversation has seen before the run. */
  readonly labels: readonly string[];
  /** As written. */
  readonly script: string;
  /** Constants of the script, for the matcher `literal`. @defaultValue unknown: nothing is literal */
  readonly constants?: readonly JsonValue[] | undefined;
  /** Calls that are no reads are planned, not made. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  readonly witness: RunWitness;
  /** Instead of the broker's. */
  readonly approve?: Approve | undefined;
  readonly onChange?: ((progress: RunProgress) => void) | undefined;
  readonly onProgress?: ((request: CallRequest, progress: Progress) => void) | undefined;
}

export interface RunProgress {
  readonly done: number;
  readonly open: number;
}

/** The calls of one run. */
export interface RunCalls {
  call(request: CallRequest, options: DispatchOptions): Promise<CallOutcome>;
  /** Data of a handle, read by the script. */
  read(request: CallRequest): CallOutcome;
  /** Data of a handle, for the caller of the run; undefined for an id that is none of this run's. */
  emitted(id: string): EmittedContent | undefined;
  unsent(call: { readonly seq: number; readonly server: string; readonly tool: string }): void;
  receipts(): readonly CallReceipt[];
  /** What a model or a person may read of a text of this run. */
  redact(text: string): string;
  /** The run is over: what it spent is forgotten, what its principal spent is not. */
  end(): void;
  /** Labels of everything the run has seen. */
  labels(): readonly string[];
}

export interface Broker extends AsyncDisposable {
  /** Lists every upstream's tools, all at once; one that fails or takes over 10 s contributes none and says so in its status. */
  loadTools(options: {
    readonly signal: AbortSignal;
    /** Servers whose list must be of now; of the others a remembered one will do. @defaultValue none */
    readonly needed?: (server: string) => boolean;
  }): Promise<readonly ToolDefinition[]>;
  /** One more upstream; its tools are listed with the next `loadTools`. */
  add(upstream: Upstream): void;
  /** Takes an upstream out. Resolves when it is closed; undefined when there is none. */
  remove(server: string, inFlight: "finish" | "cancel"): Promise<void> | undefined;
  /** Servers whose list is missing, or older than its server says that it holds. */
  outdated(): readonly string[];
  /** As last listed. */
  tools(): readonly ToolDefinition[];
  statuses(): readonly UpstreamStatus[];
  /** Servers whose tools are not there, each with the reason in one line. */
  missing(): readonly { readonly server: string; readonly reason: string; readonly removed?: boolean }[];
  /** True when a server that asked for a sign-in may have got it: tools should be listed again. */
  revived(): Promise<boolean>;
  onToolsChanged(listener: () => void): void;
  openRun(facts: RunFacts): RunCalls;
}

/** How long opening a gate, or the next run after a change, waits for one server's list. */
const LIST_WAIT_MS = 10_000;
const APPROVAL_TIMEOUT_MS = 300_000;
const SOURCE_UNITS = 4_000;

export function createBroker(options: BrokerOptions): Broker {
  const upstreams = new Map(options.upstreams.map((upstream) => [upstream.server, tracked(upstream)]));
  const removed = new Set<string>();
  const definitions = new Map<string, Map<string, ToolDefinition>>();
  const grants = createGrantStore({ clock: Date.now });
  const budgets = createBudgets(options.policy, { clock: () => performance.now() });

  const life = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();
  const lastListed = new Map<string, readonly ToolDefinition[]>();

  async function list(upstream: Upstream, signal: AbortSignal, accept: Accept): Promise<void> {
    try {
      const listed = await upstream.tools({ signal, accept });
      // Taken out meanwhile, and perhaps another one has its name.
      if (upstreams.get(upstream.server) !== upstream) return;
      lastListed.set(upstream.server, listed);
      const tools = options.pins?.admit(upstream.server, listed) ?? listed;
      definitions.set(upstream.server, new Map(tools.map((tool) => [tool.name, tool])));
      await options.pins?.save();
    } catch {
      // The upstream's status says why; its last known tools, if any, stay callable.
    } finally {
      underWay.delete(upstream.server);
    }
  }

  /** A slow server is waited for once, and not for long; its tools appear when it has told them. */
  async function loadOne(
    upstream: Upstream,
    signal: AbortSignal,
    accept: Accept,
  ): Promise<readonly ToolDefinition[]> {
    if (!underWay.has(upstream.server)) {
      const listing = list(upstream, signal, accept);
      underWay.set(upstream.server, listing);
      await settledWithin(systemClock, listing, LIST_WAIT_MS);
      if (underWay.has(upstream.server)) {
        void listing.then(() => listeners.forEach((listener) => listener()));
      }
    }
    return [...(definitions.get(upstream.server)?.values() ?? [])];
  }

  /**
   * Has a server say what its tools are before the first call that goes by a remembered list.
   * Security: waited for when tools are pinned, or a changed tool could be called through its old definition.
   */
  async function confirm(upstream: Upstream, signal: AbortSignal): Promise<void> {
    const { known, outdated, confirmed, stated } = upstream.age();
    if (confirmed || !known) return;
    const mustWait = options.pins !== undefined || outdated;
    if (!mustWait && stated) return;
    const before = lastListed.get(upstream.server);
    const confirming = confirmations.get(upstream.server) ?? listConfirmed(upstream, before);
    confirmations.set(upstream.server, confirming);
    if (mustWait) await raced(confirming, signal);
  }

  const confirmations = new Map<string, Promise<void>>();

  async function listConfirmed(
    upstream: Upstream,
    before: readonly ToolDefinition[] | undefined,
  ): Promise<void> {
    await list(upstream, life.signal, "confirmed");
    confirmations.delete(upstream.server);
    if (lastListed.get(upstream.server) !== before) listeners.forEach((listener) => listener());
  }

  async function find(request: CallRequest, signal: AbortSignal, timeoutMs: number): Promise<FoundTool> {
    const { server, tool } = request;
    const upstream = upstreams.get(server);
    const before = definitions.get(server)?.get(tool);
    if (upstream === undefined && removed.has(server)) {
      const text = `${callName(request)} is gone: its server was removed from the gate.`;
      return { error: callError("CALL_UNKNOWN_TOOL", request, text) };
    }
    if (upstream === undefined || before === undefined) return undefined;
    using deadline = createDeadline({ signals: [signal], timeoutMs, clock: systemClock });
    try {
      await confirm(upstream, deadline.signal);
    } catch {
      if (deadline.ended() === "cancelled")
        return { error: callError("CALL_CANCELLED", request, "The run ended.") };
      const text = `${callName(request)} was not called: its server did not list its tools within ${timeoutMs} ms.`;
      return { error: callError("CALL_TIMEOUT", request, text) };
    }
    if (options.pins !== undefined && !upstream.age().confirmed) {
      const why = upstream.status().error ?? "its tools could not be listed";
      const text = `${callName(request)} was not called: its definition could not be held against its pin, since ${server} is not available: ${why}`;
      return { error: callError("CALL_UPSTREAM_UNAVAILABLE", request, text) };
    }
    const definition = definitions.get(server)?.get(tool);
    if (definition !== undefined) return { definition, upstream };
    const text = `${callName(request)} is gone: its server has changed its list since it was last read. Use catalog.search(query) in the next run.`;
    return { error: callError("CALL_UNKNOWN_TOOL", request, text) };
  }

  return {
    async loadTools({ signal, needed = () => false }) {
      const lists = await Promise.all(
        [...upstreams.values()].map((upstream) =>
          loadOne(upstream, signal, needed(upstream.server) ? "current" : "known"),
        ),
      );
      return lists.flat();
    },
    add(upstream) {
      const added = tracked(upstream);
      upstreams.set(upstream.server, added);
      removed.delete(upstream.server);
      for (const listener of listeners) added.onToolsChanged(listener);
    },
    remove(server, inFlight) {
      const upstream = upstreams.get(server);
      if (upstream === undefined) return undefined;
      upstreams.delete(server);
      definitions.delete(server);
      lastListed.delete(server);
      removed.add(server);
      options.pins?.admit(server, []);
      return upstream.retire(inFlight);
    },
    outdated: () =>
      [...upstreams.values()].filter((upstream) => upstream.age().outdated).map(({ server }) => server),
    tools: () => [...upstreams.keys()].flatMap((server) => [...(definitions.get(server)?.values() ?? [])]),
    statuses: () => [...upstreams.values()].map((upstream) => upstream.status()),
    missing: () => [
      ...[...removed].map((server) => ({ server, reason: "was removed from the gate", removed: true })),
      ...[...upstreams.values()]
        .filter(({ server }) => !definitions.has(server))
        .map((upstream) => ({
          server: upstream.server,
          reason: underWay.has(upstream.server)
            ? "its tools have not been listed yet; try again in a moment"
            : (upstream.status().error ?? "its tools could not be listed"),
        })),
    ],
    async revived() {
      const answers = await Promise.all(
        [...upstreams.values()].map(async (upstream) => upstream.revived?.()),
      );
      return answers.includes(true);
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      for (const upstream of upstreams.values()) upstream.onToolsChanged(listener);
    },
    openRun(facts) {
      const { onChange } = facts;
      const receipts = createReceipts({
        clock: () => performance.now(),
        changed: onChange && ((all) => onChange({ done: all.closedCount, open: all.openCount })),
      });
      const labels = new Set(facts.labels);
      const origins = createLabelOrigins(labels);
      const { redact, resolve } = options.tokens.open(facts.principal, {
        labels,
        returned: origins.returned,
      });
      const content = createContentStore(facts.limits.contentBytes);
      const context = {
        content,
        runId: facts.runId,
        principal: facts.principal,
        limits: facts.limits,
        policy: options.policy,
        approvals: createApprovals({
          runId: facts.runId,
          grants: grants.openRun(),
          receipts: receipts.list,
          clock: Date.now,
          approve: facts.approve ?? options.approve,
          timeoutMs: options.approvalTimeoutMs ?? APPROVAL_TIMEOUT_MS,
        }),
        budgets,
        receipts,
        redactor: { redact },
        resolve,
        labels,
        origins,
        sourceLine: sourceLines(facts.script),
        literals: trustedLiterals(facts),
        plan: facts.dryRun === true ? createPlan({ redactor: { redact } }) : undefined,
        witness: facts.witness,
        quarantine: (server: string, tool: string) => options.pins?.quarantine(server, tool),
        known: (server: string, tool: string) => definitions.get(server)?.get(tool),
        find: (request: CallRequest, signal: AbortSignal) =>
          find(request, signal, facts.limits.callTimeoutMs),
        onProgress: facts.onProgress,
      };
      return {
        call: (request, callOptions) => dispatch(request, context, callOptions),
        read: (request) => readContent(request, { store: content, resultBytes: facts.limits.resultBytes }),
        emitted: (id) => emittedContent(content, id),
        unsent: receipts.unsent,
        receipts: receipts.list,
        redact,
        end() {
          budgets.endRun(facts.runId);
          content.clear();
        },
        labels: () => [...labels].toSorted(),
      };
    },
    async [Symbol.asyncDispose]() {
      life.abort();
      await Promise.allSettled([...upstreams.values()].map((upstream) => upstream[Symbol.asyncDispose]()));
    },
  };
}

/** Security: what wrote the script had read untrusted text before, so its constants may be that text's. */
function trustedLiterals({ labels, constants }: RunFacts): LiteralSet | undefined {
  return constants === undefined || labels.includes("untrusted") ? undefined : collectLiterals(constants);
}

function sourceLines(script: string): (line: number) => string | undefined {
  let lines: readonly string[] | undefined;
  return (line) => (lines ??= script.split(/\r\n|\r|\n/))[line - 1]?.trim().slice(0, SOURCE_UNITS);
}
