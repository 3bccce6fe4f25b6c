// Owns the shapes of the public surface; callgate.ts makes them.
import type { AuditSink } from "./broker/audit/entry.ts";
import type { AuditFileOptions } from "./broker/audit/options.ts";
import type { PinChange } from "./broker/pins.ts";
import type { PinStore } from "./broker/pins-file.ts";
import type { CallExplanation, ExplainOptions } from "./broker/policy-inspector.ts";
import type { PolicyProblemFound } from "./broker/policy/check.ts";
import type { TokenStore } from "./broker/upstream/auth/token-store.ts";
import type { CatalogCacheOptions } from "./broker/upstream/catalog-options.ts";
import type { LocalTool } from "./broker/upstream/define-tool.ts";
import type { UpstreamStatus } from "./broker/upstream/upstream.ts";
import type { Approve } from "./contract/decision.ts";
import type { EmittedContent } from "./contract/content.ts";
import type { CheckMode } from "./contract/compile.ts";
import type { Elicit } from "./contract/elicitation.ts";
import type { Diagnostic } from "./contract/diagnostic.ts";
import type { JsonObject, JsonValue } from "./contract/json.ts";
import type { RunLimits } from "./contract/limits.ts";
import type { RunProgress } from "./contract/progress.ts";
import type { RunStore } from "./contract/record.ts";
import type { RunResult, SandboxReport } from "./contract/result.ts";
import type { SandboxOptions } from "./runtime/sandbox-options.ts";
import type { CatalogFace } from "./stubs/catalog-face.ts";
import type { CatalogOptions } from "./stubs/catalog-types.ts";

/** Everything a gate is made of. Unknown keys are refused with CONFIG_INVALID. */
export interface CallgateOptions {
  /** MCP servers in the `mcpServers` shape, by configured name. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Local functions made with `defineTool`: namespace → tool name → tool. */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, LocalTool>>>>;
  /** One policy, or layers of which later ones only tighten (docs/policy.md). @defaultValue ask for everything that is not a trusted read */
  readonly policy?: unknown;
  /** Names of the layers in errors and explanations, in their order. @defaultValue "layer 1", "layer 2" */
  readonly policySources?: readonly string[];
  /** Overrides of the default limits, for every run. */
  readonly limits?: Partial<RunLimits>;
  /** Asks a person. Without it every call that needs approval is denied. */
  readonly approve?: Approve;
  /** Puts what a server asks in the middle of a call to a person (docs/approvals.md). Without it servers are told that nobody can be asked. */
  readonly elicit?: Elicit;
  readonly sandbox?: SandboxOptions;
  readonly catalog?: Pick<CatalogOptions, "contextWindow" | "threshold" | "embed">;
  /** Keeps the records of runs. @defaultValue in memory */
  readonly store?: RunStore;
  /** Where `${VAR}` in `servers` is looked up. @defaultValue nothing */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where sign-ins to servers are kept; `login()` makes them (docs/authorization.md). @defaultValue in memory */
  readonly auth?: { readonly store?: TokenStore };
  /** Records every decision, approval and outcome (docs/audit.md). @defaultValue nothing is recorded */
  readonly audit?: AuditFileOptions | AuditSink;
  /** Holds back tools whose definition is not the one accepted before (docs/audit.md). @defaultValue none is held back */
  readonly pins?: { readonly file: string } | PinStore;
  /** Keeps tool lists between processes, so that servers start on their first call. @defaultValue none is kept */
  readonly catalogCache?: CatalogCacheOptions;
  /**
   * How long opening, and the first script after a change, waits for the tools of one server, ms, up to 600 000. Those of
   * a slower one are there for a later script. @defaultValue 10 000
   */
  readonly listWaitMs?: number;
  /** `bodies` puts redacted arguments and results into OpenTelemetry spans. @defaultValue { bodies: false } */
  readonly telemetry?: { readonly bodies?: boolean };
}

export interface RunOptions {
  /** What a type error does. @defaultValue "error" */
  readonly check?: CheckMode;
  readonly signal?: AbortSignal;
  /** Whose run it is; workers are never shared between principals. @defaultValue "default" */
  readonly principal?: string;
  /** Labels of what the conversation has seen, for flow rules. */
  readonly labels?: readonly string[];
  /** Overrides for this run. */
  readonly limits?: Partial<RunLimits>;
  /** Makes only calls that the policy knows to be read-only and allows; all others are planned (docs/approvals.md). @defaultValue false */
  readonly dryRun?: boolean;
  /** IANA name, for Intl and the `toLocale…` methods; the other methods of Date stay in UTC. @defaultValue "UTC" */
  readonly timeZone?: string;
  /** Asks a person about this run's calls, instead of the gate's `approve`. */
  readonly approve?: Approve;
  /** Asks a person for a server during this run, instead of the gate's `elicit`, which must be there as well. */
  readonly elicit?: Elicit;
  /** Called when a call starts or ends, and when a server reports progress of a call. */
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Always the catalog of the tools of now. */
export type GateCatalog = CatalogFace;

/** A tool for an agent framework: give the model the first three, call `execute` with what it sends. */
export interface MetaTool {
  readonly name: "search_tools" | "get_tool_details" | "run_script";
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Never rejects for what the model sent; `text` is written for the model. */
  execute(
    input: unknown,
    options?: Pick<RunOptions, "signal" | "principal" | "labels" | "approve" | "elicit" | "onProgress">,
  ): Promise<MetaToolResult>;
}

export interface MetaToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structuredContent: JsonValue;
  /** What the script emitted, as `RunResult.content`; absent when nothing. */
  readonly content?: readonly EmittedContent[];
}

/** Tools that are held back, and their release. */
export interface GatePins {
  changes(): readonly PinChange[];
  /** Accepts changes as they were shown; resolves to how many still were so. */
  accept(changes: readonly Pick<PinChange, "server" | "tool" | "sha256">[]): Promise<number>;
}

/** The policy, looked at from outside. */
export interface GatePolicy {
  /** What it says in vain: everything unknown, unreachable or without effect. Empty when all of it can matter. */
  check(): Promise<readonly PolicyProblemFound[]>;
  /** How a call would be decided, and by what; budgets aside. `tool` is `server.tool`. Throws CALL_UNKNOWN_TOOL. */
  explain(tool: string, args: JsonValue, options?: ExplainOptions): Promise<CallExplanation>;
}

export interface RemoveServerOptions {
  /** The boundary: settles when the last conversation that was told of the server is over. @defaultValue now */
  readonly after?: PromiseLike<unknown>;
  /** What becomes of calls under way at the boundary. @defaultValue "finish" */
  readonly inFlight?: "finish" | "cancel";
}

export interface Gate extends AsyncDisposable {
  /** Never rejects for what a script does. Throws CONFIG_INVALID on bad options and DISPOSED after the end. */
  run(script: string, options?: RunOptions): Promise<RunResult>;
  /** Runs nothing. */
  check(script: string): Promise<readonly Diagnostic[]>;
  /** Repeats a recorded run; no tool is called. Throws CONFIG_INVALID for an unknown run. */
  replay(runId: string): Promise<RunResult>;
  readonly catalog: GateCatalog;
  /** How to use the tools, for a system prompt. */
  instructions(): string;
  metaTools(): readonly MetaTool[];
  readonly policy: GatePolicy;
  /** Undefined without the option `pins`. */
  readonly pins: GatePins | undefined;
  /**
   * One more server, named and written as in `servers`; its tools can be called by the next run. Resolves with how it does.
   * Throws CONFIG_INVALID, also for a name that is taken.
   */
  addServer(name: string, config: unknown): Promise<UpstreamStatus>;
  /**
   * Takes a server out when `after` settles, and resolves when it is closed. Until then nothing changes. Then its tools
   * leave the catalog, and calls fail with CALL_UNKNOWN_TOOL. Throws CONFIG_UNKNOWN_UPSTREAM. See docs/live-servers.md.
   */
  removeServer(name: string, options?: RemoveServerOptions): Promise<void>;
  /** How each server is doing. */
  servers(): readonly UpstreamStatus[];
  /** What the sandbox achieves on this machine. */
  readonly sandbox: SandboxReport;
  /** Names that were changed or dropped, options that need attention. */
  readonly notes: readonly string[];
}
