// Owns what the runtime is asked to run, and the ports it needs for that.
import type { CallOutcome, CallRequest, CallSlot } from "../../contract/call.ts";
import type { EmittedContent } from "../../contract/content.ts";
import type { RunLimits } from "../../contract/limits.ts";
import type { RunEvent, RunStore } from "../../contract/record.ts";
import type { Usage } from "../../contract/result.ts";

/** Performs one call, in its slot once it is sent; must answer promptly once `signal` aborts, and must not reject. */
export type CallPort = (
  request: CallRequest,
  options: {
    readonly signal: AbortSignal;
    /** Stops the wall clock while a person is asked; the result lets it go on. */
    readonly holdWall: () => () => void;
    readonly slot: CallSlot;
    /**
     * Resolves when the script has come to rest: true when every open call is held for a person, so that no further call
     * can come before an answer does. Never, when the run ends.
     */
    readonly rest: () => Promise<boolean>;
  },
) => Promise<CallOutcome>;

/** namespace → identifier → (server, raw tool name). */
export type Manifest = ReadonlyMap<
  string,
  ReadonlyMap<string, { readonly server: string; readonly tool: string }>
>;

export interface RunRequest {
  readonly runId: string;
  readonly principal: string;
  /** The script as written. */
  readonly script: string;
  /** Runnable JavaScript: one async function expression, lines as in the normalised script. */
  readonly code: string;
  /** Added to a line of `code` to get the line as written. */
  readonly lineOffset: number;
  readonly manifest: Manifest;
  readonly seed: string;
  /** When it starts, for the script and for its record: ms since the epoch. */
  readonly at: number;
  readonly timeZone: string;
  readonly limits: RunLimits;
  readonly call: CallPort;
  /** The data of a handle by its id; undefined for one that this run was not given. */
  readonly emitted: (id: string) => EmittedContent | undefined;
  readonly store: RunStore;
  /** ms since the epoch. */
  readonly clock: () => number;
  /** What may be shown of a text; applied before output is cut. */
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal | undefined;
  /** Events of an earlier run to repeat; the run then makes no call. */
  readonly replay?: { readonly at: number; readonly events: readonly RunEvent[] };
}

/** Why a run ended, before positions are mapped to the script as written. */
export type Cause =
  | { readonly type: "returned" }
  | {
      readonly type: "threw";
      readonly syntax: boolean;
      readonly name: string;
      readonly message: string;
      readonly stack: string;
      readonly call?: { readonly code: string; readonly server: string; readonly tool: string } | undefined;
    }
  | { readonly type: "stopped"; readonly code: StopCode; readonly message: string };

export type StopCode =
  | "RUN_TIMEOUT"
  | "RUN_CPU_LIMIT"
  | "RUN_MEMORY_LIMIT"
  | "RUN_CALL_LIMIT"
  | "RUN_OUTPUT_LIMIT"
  | "RUN_ABORTED"
  | "RUN_PENDING_CALLS"
  | "RUN_DIVERGED"
  | "RUN_QUEUE_FULL"
  | "WORKER_START_FAILED"
  | "WORKER_CRASHED"
  | "WORKER_PROTOCOL_VIOLATION"
  | "DISPOSED"
  | "INTERNAL";

/** A call the script had no result of when it ended. */
export interface PendingCall {
  readonly seq: number;
  readonly server: string;
  readonly tool: string;
  /** False: it waited in the guest, and nothing was done. */
  readonly sent: boolean;
}

export interface RunEnd {
  readonly cause: Cause;
  readonly output: string;
  readonly outputTruncated: boolean;
  readonly content: readonly EmittedContent[];
  /** Messages of promises that rejected with nobody listening. */
  readonly unhandled: readonly string[];
  readonly pending: readonly PendingCall[];
  readonly usage: Usage;
}
