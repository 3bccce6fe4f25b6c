// Owns the words of the audit log: one entry per fact of a run, and the port they go to.
import type { CallReceipt } from "../../contract/call.ts";
import type { Effect } from "../../contract/decision.ts";
import type { ErrorCode } from "../../contract/error.ts";
import type { JsonValue } from "../../contract/json.ts";
import type { RunResult } from "../../contract/result.ts";

/** Arguments, a result or a script. `sha256` is over canonical JSON (a script: over its text). */
export interface AuditBody {
  /** Size of the whole, bytes of UTF-8. */
  readonly bytes: number;
  readonly sha256?: string;
  /** Redacted; a text when it was too long to keep whole. */
  readonly value?: JsonValue;
}

interface OfRun {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly runId: string;
}

interface OfCall extends OfRun {
  readonly seq: number;
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
}

export interface RunStarted extends OfRun {
  readonly type: "run.start";
  readonly principal: string;
  readonly policy: string;
  /** Labels of the conversation. */
  readonly labels: readonly string[];
  readonly script: AuditBody;
}

export interface CallDecided extends OfCall {
  readonly type: "call.decided";
  readonly effect: Effect;
  readonly rules: readonly string[];
  readonly reason: string;
  /** Labels of everything the run had seen. */
  readonly labels: readonly string[];
  readonly line?: number;
  readonly arguments?: AuditBody;
}

export interface CallApproval extends OfCall {
  readonly type: "call.approval";
  readonly answer: "granted" | "rejected" | "expired" | "nobody";
  /** What was asked about. */
  readonly rules: readonly string[];
  readonly waitMs: number;
  readonly reason?: string;
}

/** A server asked a person. `seq` and `tool` are absent where several calls were open and it did not say which one asks. */
export interface CallElicited extends OfRun {
  readonly type: "call.elicited";
  readonly server: string;
  readonly seq?: number;
  readonly tool?: string;
  readonly action: "accept" | "decline" | "cancel";
  readonly waitMs: number;
  /** Why nobody was asked, or the answer was not used. */
  readonly reason?: string;
  /** What was sent to the server. */
  readonly content?: AuditBody;
}

/** Written before the tool is called; without a `call.ended` after it the effect is unknown. */
export interface CallSent extends OfCall {
  readonly type: "call.sent";
  /** The tool says that it only reads. */
  readonly reads: boolean;
}

export interface CallEnded extends OfCall {
  readonly type: "call.ended";
  readonly status: CallReceipt["status"];
  readonly code?: ErrorCode;
  readonly rules: readonly string[];
  /** The value, or the error without its code. */
  readonly result?: AuditBody;
}

export interface RunEnded extends OfRun {
  readonly type: "run.end";
  readonly status: RunResult["status"] | "crashed";
  readonly code?: ErrorCode;
  readonly calls: number;
}

export type AuditEntry =
  RunStarted | CallDecided | CallApproval | CallElicited | CallSent | CallEnded | RunEnded;

/**
 * Where entries go. `append` is called in order, without waiting for the one before; it settles once the entry is
 * kept. When it throws or rejects, no further call of that run is made.
 */
export interface AuditSink {
  append(entry: AuditEntry): void | Promise<void>;
}

/** How much of arguments and results is kept. */
export type AuditBodies = "none" | "hash" | "redacted";
