// Owns all that a call of one run meets on its way.
import type { CallError, CallRequest, CallSlot } from "../contract/call.ts";
import type { RunLimits } from "../contract/limits.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { Approvals } from "./approval.ts";
import type { Budgets } from "./budget.ts";
import type { ContentStore } from "./content/store.ts";
import type { Plan } from "./dry-run.ts";
import type { Questions } from "./elicitation/questions.ts";
import type { LabelOrigins } from "./label-origins.ts";
import type { LiteralSet } from "./policy/literals.ts";
import type { Policy } from "./policy/parse.ts";
import type { Receipts } from "./receipts.ts";
import type { Redactor } from "./redact.ts";
import type { Progress, Upstream } from "./upstream/upstream.ts";
import type { RunWitness } from "./witness.ts";

/** Undefined for a tool there never was. */
export type FoundTool =
  | { readonly definition: ToolDefinition; readonly upstream: Upstream }
  | { readonly error: CallError }
  | undefined;

export interface DispatchContext {
  readonly runId: string;
  readonly principal: string;
  readonly limits: RunLimits;
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly budgets: Budgets;
  readonly receipts: Receipts;
  readonly redactor: Redactor;
  /** The text of arguments with the values that placeholders stand for. Check its length afterwards. */
  resolve(argumentsJson: string, maxUnits: number): string;
  /** Labels of every result this run has seen, and of the conversation. Grows. */
  readonly labels: Set<string>;
  /** Adds to `labels` and remembers why. */
  readonly origins: LabelOrigins;
  /** Text of a line of the script as written, bounded. */
  readonly sourceLine: (line: number) => string | undefined;
  /** Undefined when the script's constants are unknown or not to be trusted. */
  readonly literals: LiteralSet | undefined;
  /** The tool as it was last listed. */
  known(server: string, tool: string): ToolDefinition | undefined;
  /** The tool as its server defines it now, as far as it must be known; rejects never. */
  find(request: CallRequest, signal: AbortSignal): Promise<FoundTool>;
  /** Why the tool is held back; undefined when it is not. */
  quarantine(server: string, tool: string): string | undefined;
  /** Of a dry run. */
  readonly plan?: Plan | undefined;
  /** Binary content that this run has handles of. */
  readonly content: ContentStore;
  readonly witness: RunWitness;
  readonly onProgress?: ((request: CallRequest, progress: Progress) => void) | undefined;
}

export interface DispatchOptions {
  readonly signal: AbortSignal;
  readonly holdWall: () => () => void;
  /** Taken before the call is sent; the run gives it back. */
  readonly slot: CallSlot;
  /** Resolves when the script has come to rest: true when it makes no further call before a person answers. */
  readonly rest: () => Promise<boolean>;
}
