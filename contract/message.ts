// Owns the messages between the broker side and a worker process. `slot` numbers the runs of one worker, from 1.
import type { RunLimits } from "./limits.ts";

/** The limits that the guest itself counts, so that a flood stops at its source. */
export interface GuestLimits extends Pick<
  RunLimits,
  "calls" | "argumentBytes" | "logBytes" | "emitBytes" | "timers"
> {
  /** Calls without a result that have left the guest; more wait in it. */
  readonly openCalls: number;
  /** UTF-16 units of their arguments. */
  readonly openUnits: number;
}

/** Starts a run in a fresh isolate. */
export interface StartMessage {
  readonly type: "start";
  readonly slot: number;
  /** Runnable JavaScript: one async function expression. */
  readonly code: string;
  readonly seed: string;
  readonly at: number;
  readonly timeZone: string;
  /** JSON text: namespace → identifiers. */
  readonly manifestJson: string;
  readonly memoryMb: number;
  readonly cpuMs: number;
  readonly limits: GuestLimits;
}

/**
 * One event; `json` is the value of a call that succeeded or the CallError of one that did not. Of `content` it is the
 * text of `{ value, handles }`: a value with handles in it, and where they are.
 */
export interface DeliverMessage {
  readonly type: "deliver";
  readonly slot: number;
  readonly event: "call" | "content" | "timer";
  readonly seq: number;
  readonly at: number;
  readonly ok: boolean;
  readonly json: string;
}

/** The run is over for the broker: dispose the isolate, answer nothing more for it. */
export interface EndMessage {
  readonly type: "end";
  readonly slot: number;
}

/** To be answered when the guest has come to rest after all that was sent before. */
export interface DrainMessage {
  readonly type: "drain";
  readonly slot: number;
}

export type ToWorker = StartMessage | DeliverMessage | DrainMessage | EndMessage;

export interface ReadyMessage {
  readonly type: "ready";
  /** Permissions still held after the drop; empty when the platform dropped all. */
  readonly permissions: readonly string[];
}

export interface CallMessage {
  readonly type: "call";
  readonly slot: number;
  readonly seq: number;
  readonly namespace: string;
  readonly identifier: string;
  readonly json: string;
  /** Line of the wrapped script; 0 when unknown. */
  readonly line: number;
}

export interface TimerMessage {
  readonly type: "timer";
  readonly slot: number;
  readonly seq: number;
  readonly delayMs: number;
}

export interface CancelTimerMessage {
  readonly type: "cancelTimer";
  readonly slot: number;
  readonly seq: number;
}

export interface LogMessage {
  readonly type: "log";
  readonly slot: number;
  /** One or more lines. */
  readonly text: string;
}

/** Binary content for the caller of the run. */
export interface EmitMessage {
  readonly type: "emit";
  readonly slot: number;
  /** JSON text: the facts of a handle, or those of `data`. */
  readonly json: string;
  /** Base64; empty for a handle. */
  readonly data: string;
}

/** What the guest says of a thrown value; every field is bounded text made in the isolate. */
export interface ThrownValue {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Set when the value is a ToolError of the bridge. */
  readonly call?: { readonly code: string; readonly server: string; readonly tool: string } | undefined;
}

export interface PendingCall {
  readonly seq: number;
  readonly namespace: string;
  readonly identifier: string;
  readonly sent: boolean;
}

/** The script returned or threw. */
export interface DoneMessage {
  readonly type: "done";
  readonly slot: number;
  readonly thrown?: ThrownValue | undefined;
  /** V8 refused to compile what TypeScript accepted. */
  readonly syntax?: boolean | undefined;
  /** Messages of promises that rejected with nobody listening, bounded. */
  readonly unhandled: readonly string[];
  /** Calls the script had no result of, bounded; `sent` ones may have had their effect. */
  readonly pending: readonly PendingCall[];
  readonly pendingCount: number;
  readonly cpuMs: number;
  readonly heapMb: number;
  /** False when the isolate was still running: the worker must not be used again. */
  readonly idle: boolean;
}

/** A limit that the worker or guest met; the broker ends the run and the worker. */
export interface LimitMessage {
  readonly type: "limit";
  readonly slot: number;
  readonly code: "RUN_CPU_LIMIT" | "RUN_MEMORY_LIMIT" | "RUN_CALL_LIMIT" | "RUN_OUTPUT_LIMIT";
  readonly cpuMs: number;
}

/** Answers `drain`: the guest does nothing more until something is delivered. */
export interface DrainedMessage {
  readonly type: "drained";
  readonly slot: number;
}

/** CPU time spent so far, so that it is known of a run that is killed. */
export interface CpuMessage {
  readonly type: "cpu";
  readonly slot: number;
  readonly cpuMs: number;
}

export type FromWorker =
  | ReadyMessage
  | CallMessage
  | TimerMessage
  | CancelTimerMessage
  | LogMessage
  | EmitMessage
  | DoneMessage
  | CpuMessage
  | DrainedMessage
  | LimitMessage;
