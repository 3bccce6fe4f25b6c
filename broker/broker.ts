// Owns the upstreams and opens the call path of each run.
import type { CallOutcome, CallReceipt, CallRequest } from "../contract/call.ts";
import type { EmittedContent } from "../contract/content.ts";
import type { Approve } from "../contract/decision.ts";
import type { Elicit } from "../contract/elicitation.ts";
import type { JsonValue } from "../contract/json.ts";
import type { RunLimits } from "../contract/limits.ts";
import type { RunProgress } from "../contract/progress.ts";
import { createApprovals } from "./approval.ts";
import { createBudgets } from "./budget.ts";
import { emittedContent, readContent } from "./content/read.ts";
import { createContentStore } from "./content/store.ts";
import type { DispatchOptions } from "./call-context.ts";
import { createPlan } from "./dry-run.ts";
import { dispatch } from "./dispatch.ts";
import { createQuestions } from "./elicitation/questions.ts";
import { createGrantStore } from "./grants.ts";
import { createLabelOrigins } from "./label-origins.ts";
import type { Pins } from "./pins.ts";
import { collectLiterals, type LiteralSet } from "./policy/literals.ts";
import type { Policy } from "./policy/parse.ts";
import { createProgressReports } from "./progress.ts";
import { createReceipts } from "./receipts.ts";
import type { Tokens } from "./tokenize.ts";
import { createToolLists, type ToolLists } from "./tool-lists.ts";
import { createTurns } from "./turns.ts";
import type { Upstream, UpstreamStatus } from "./upstream/upstream.ts";
import type { RunWitness } from "./witness.ts";

export interface BrokerOptions {
  readonly upstreams: readonly Upstream[];
  readonly policy: Policy;
  readonly approve: Approve | undefined;
  readonly elicit?: Elicit | undefined;
  /** Makes what runs show, and what they get back. */
  readonly tokens: Tokens;
  /** Without, no tool is held back. */
  readonly pins?: Pins | undefined;
  /** How long one list of tools is waited for, ms. @defaultValue 10 000 */
  readonly listWaitMs?: number | undefined;
  /** How long a person may take over one approval or question, ms. @defaultValue 300 000 */
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
  /** Instead of the broker's. */
  readonly elicit?: Elicit | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
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
  readonly lists: ToolLists;
  statuses(): readonly UpstreamStatus[];
  openRun(facts: RunFacts): RunCalls;
}

const APPROVAL_TIMEOUT_MS = 300_000;
const SOURCE_UNITS = 4_000;

export function createBroker(options: BrokerOptions): Broker {
  const lists = createToolLists(options.upstreams, {
    pins: options.pins,
    waitMs: options.listWaitMs,
  });
  const grants = createGrantStore({ clock: Date.now });
  const budgets = createBudgets(options.policy, { clock: () => performance.now() });

  return {
    lists,
    statuses: () => lists.upstreams().map((upstream) => upstream.status()),
    openRun(facts) {
      const reports = createProgressReports(facts.onProgress, (text) => redact(text));
      const receipts = createReceipts({
        clock: () => performance.now(),
        changed: reports?.changed,
      });
      const inTurn = createTurns();
      const approve = facts.approve ?? options.approve;
      const timeoutMs = options.approvalTimeoutMs ?? APPROVAL_TIMEOUT_MS;
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
          approve: approve && ((request, { signal }) => inTurn(() => approve(request, { signal }), signal)),
          timeoutMs,
        }),
        questions: createQuestions({
          runId: facts.runId,
          // A rehearsal asks nobody.
          elicit: facts.dryRun === true ? undefined : (facts.elicit ?? options.elicit),
          timeoutMs,
          inTurn,
          witness: facts.witness,
          clock: () => performance.now(),
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
        known: lists.known,
        find: (request: CallRequest, signal: AbortSignal) =>
          lists.find(request, signal, facts.limits.callTimeoutMs),
        onProgress: reports?.upstream,
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
    [Symbol.asyncDispose]: () => lists[Symbol.asyncDispose](),
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
