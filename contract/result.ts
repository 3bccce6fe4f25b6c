// Owns what a run returns.
import type { CallReceipt } from "./call.ts";
import type { EmittedContent } from "./content.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { ErrorCode } from "./error.ts";
import type { RunLimits } from "./limits.ts";

/** Why a run failed, in positions of the script as written. */
export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** The source line, bounded. */
  readonly source?: string;
  /** Script frames only. */
  readonly stack?: string;
  /** `name` of a thrown error. */
  readonly name?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly retryable?: boolean;
  readonly diagnostics?: readonly Diagnostic[];
}

/** What a run spent. Times in ms, sizes in bytes. */
export interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Largest heap seen, MB; 0 when unknown. */
  readonly heapMb: number;
  readonly calls: number;
  readonly maxCallsInFlight: number;
  readonly loggedBytes: number;
  /** Bytes of results that stayed out of the model's context. */
  readonly resultBytes: number;
  readonly timers: number;
  readonly limits: RunLimits;
}

/** What the sandbox of this run achieved, and why not more. */
export interface SandboxReport {
  /** `hardened` = network and memory contained by the system; `process` = a separate process only. */
  readonly level: "hardened" | "partial" | "process";
  /** Measure → how it is met, for example `network: "unshare"`; `null` when not achieved. */
  readonly measures: Readonly<Record<string, string | null>>;
  /** One sentence per measure not achieved. */
  readonly missing: readonly string[];
}

export interface RunResult {
  readonly runId: string;
  readonly status: "completed" | "failed" | "paused";
  /** What the script logged; a top-level `return value` is logged last. */
  readonly output: string;
  readonly outputTruncated: boolean;
  /** What the script emitted, in order; at most 100, together at most `limits.emitBytes`. Absent when nothing. */
  readonly content?: readonly EmittedContent[];
  readonly error?: RunError;
  /** Type errors under `check: "warn"`, un-awaited calls, unhandled rejections. */
  readonly warnings: readonly Diagnostic[];
  readonly calls: readonly CallReceipt[];
  readonly usage: Usage;
  readonly sandbox: SandboxReport;
}
