// Owns the upstreams and opens the call path of each run.
import type { CallOutcome, CallReceipt, CallRequest } from "../contract/call.ts";
import type { EmittedContent } from "../contract/content.ts";
import type { Approve } from "../contract/decision.ts";
import type { JsonValue } from "../contract/json.ts";
import type { RunLimits } from "../contract/limits.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { createApprovals } from "./approval.ts";
import { createBudgets } from "./budget.ts";
import type { DispatchOptions } from "./call-context.ts";
import { emittedContent, readContent } from "./content/read.ts";
import { createContentStore } from "./content/store.ts";
import { createPlan } from "./dry-run.ts";
import { dispatch } from "./dispatch.ts";
import { createGrantStore } from "./grants.ts";
import { createLabelOrigins } from "./label-origins.ts";
import type { Pins } from "./pins.ts";
import { collectLiterals, type LiteralSet } from "./policy/literals.ts";
import type { Policy } from "./policy/parse.ts";
import { createReceipts } from "./receipts.ts";
import type { Tokens } from "./tokenize.ts";
import { settledWithin, systemClock } from "./upstream/clock.ts";
import type { Progress, Upstream, UpstreamStatus } from "./upstream/upstream.ts";
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
  loadTools(options: { readonly signal: AbortSignal }): Promise<readonly ToolDefinition[]>;
  /** As last listed. */
  tools(): readonly ToolDefinition[];
  statuses(): readonly UpstreamStatus[];
  /** Servers whose tools are not there, each with the reason in one line. */
  missing(): readonly { readonly server: string; readonly reason: string }[];
  onToolsChanged(listener: () => void): void;
  openRun(facts: RunFacts): RunCalls;
}

/** How long opening a gate, or the next run after a change, waits for one server's list. */
const LIST_WAIT_MS = 10_000;
const APPROVAL_TIMEOUT_MS = 300_000;
const SOURCE_UNITS = 4_000;

export function createBroker(options: BrokerOptions): Broker {
  const upstreams = new Map(options.upstreams.map((upstream) => [upstream.server, upstream]));
  const definitions = new Map<string, Map<string, ToolDefinition>>();
  const grants = createGrantStore({ clock: Date.now });
  const budgets = createBudgets(options.policy, { clock: () => performance.now() });

  const underWay = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();

  async function list(upstream: Upstream, signal: AbortSignal): Promise<void> {
    try {
      const listed = await upstream.tools({ signal });
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
  async function loadOne(upstream: Upstream, signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    if (!underWay.has(upstream.server)) {
      const listing = list(upstream, signal);
      underWay.set(upstream.server, listing);
      await settledWithin(systemClock, listing, LIST_WAIT_MS);
      if (underWay.has(upstream.server)) {
        void listing.then(() => listeners.forEach((listener) => listener()));
      }
    }
    return [...(definitions.get(upstream.server)?.values() ?? [])];
  }

  return {
    async loadTools({ signal }) {
      const lists = await Promise.all([...upstreams.values()].map((upstream) => loadOne(upstream, signal)));
      return lists.flat();
    },
    tools: () => [...definitions.values()].flatMap((tools) => [...tools.values()]),
    statuses: () => [...upstreams.values()].map((upstream) => upstream.status()),
    missing: () =>
      [...upstreams.values()]
        .filter(({ server }) => !definitions.has(server))
        .map((upstream) => ({
          server: upstream.server,
          reason: underWay.has(upstream.server)
            ? "its tools have not been listed yet; try again in a moment"
            : (upstream.status().error ?? "its tools could not be listed"),
        })),
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
        find(server: string, tool: string) {
          const upstream = upstreams.get(server);
          const definition = definitions.get(server)?.get(tool);
          return upstream === undefined || definition === undefined ? undefined : { definition, upstream };
        },
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
