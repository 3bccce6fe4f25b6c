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

/** A label that a flow holds against a call, and what brought it into the run. */
export interface LabelInPlay {
  readonly label: string;
  /** Earlier results that carry it: the first of each tool, at most 20. */
  readonly results: readonly { readonly seq: number; readonly server: string; readonly tool: string }[];
  /** The caller gave it for what the conversation has seen. */
  readonly conversation: boolean;
}

/** One call that a person is asked about. Arguments and source are bounded and redacted. */
export interface ApprovalCall {
  readonly seq: number;
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  readonly arguments: JsonValue;
  /** Why it is asked. */
  readonly reason: string;
  readonly rules: readonly string[];
  /** Line of the script as written, from 1, when known. */
  readonly line?: number;
  /** What stands in that line. */
  readonly source?: string;
  /** When a flow asks: the labels it names. */
  readonly labels?: readonly LabelInPlay[];
}

/** What a person is asked: the first call and, when several ask in the same turn, all of them in `set`. */
export interface ApprovalRequest extends ApprovalCall {
  readonly runId: string;
  /** What the run has done so far. */
  readonly calls: readonly CallReceipt[];
  /** Two to 200 calls that ask together, the first one included; see `ApprovalAnswer.about`. */
  readonly set?: readonly ApprovalCall[];
}

/** Anything but a well-formed `allow` refuses. An answer never passes a deny, nor a flow or budget it was not asked about. */
export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  /**
   * Calls of `set` the answer is about: `"all"`, or their `seq`; those left out of a list are refused, see `others`. Without it the
   * answer is about the first call only, and the others are asked about again.
   */
  readonly about?: "all" | readonly number[];
  /** Calls of `set` that a list in `about` leaves out: refused, or asked about again. @defaultValue "refuse" */
  readonly others?: "refuse" | "ask";
  /**
   * `once` = these calls with these arguments; `run` = the tool, asked about for the same rules, for the rest of the run;
   * `until` = the same for this principal, in every run of the gate, until then. @defaultValue "once"
   */
  readonly scope?: "once" | "run" | "until";
  /** End of scope `until`: ISO 8601, or ms since the epoch. */
  readonly until?: string | number;
  /** Bounds the answer to arguments that match, in the shape of a rule's `when` (docs/policy.md). */
  readonly pattern?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Told to the script when denied. */
  readonly reason?: string;
}

export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ApprovalAnswer>;
