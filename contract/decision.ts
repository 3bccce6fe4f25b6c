// Owns the words of authorization: effect, decision, approval.
import type { CallReceipt } from "./call.ts";
import type { JsonValue } from "./json.ts";

export type Effect = "allow" | "ask" | "deny";

/** The verdict on one call and the rules behind it. */
export interface Decision {
  readonly effect: Effect;
  /** Ids of the rules, flows, budgets or defaults that gave this effect. */
  readonly rules: readonly string[];
  /** One sentence for a person. */
  readonly reason: string;
}

/** What a person is asked. Arguments are bounded and redacted. */
export interface ApprovalRequest {
  readonly runId: string;
  readonly seq: number;
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  readonly arguments: JsonValue;
  /** Why it is asked. */
  readonly reason: string;
  readonly rules: readonly string[];
  /** What the run has done so far. */
  readonly calls: readonly CallReceipt[];
  /** Line of the script as written, from 1, when known. */
  readonly line?: number;
}

/** `scope`: `once` = this call, `run` = every call of this tool for the rest of the run. */
export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  /** @defaultValue "once" */
  readonly scope?: "once" | "run";
  /** Told to the script when denied. */
  readonly reason?: string;
}

export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ApprovalAnswer>;
