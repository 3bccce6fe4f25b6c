// Owns what a call asks, what became of it, and the receipt it leaves.
import type { ValuePath } from "./content.ts";
import type { CallErrorCode } from "./error.ts";
import type { JsonValue } from "./json.ts";

/** One tool invocation by a run. `seq` is its number in the run, from 1. */
export interface CallRequest {
  readonly runId: string;
  readonly seq: number;
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  /** JSON text made in the guest; untrusted. */
  readonly argumentsJson: string;
  /** Line of the script as written, from 1, when known. */
  readonly line?: number;
}

/** A call's place among those that its run may have at work at one time (limit `callsInFlight`). */
export interface CallSlot {
  /** True when the call has a place, or now takes a free one. */
  tryTake(): boolean;
  /** Waits for a place, first come, first served. Rejects when the run ends. */
  take(): Promise<void>;
  /** Before anything was sent; the end of the call does it otherwise. */
  giveBack(): void;
}

/** What a failed call tells the script; becomes `ToolError` there. */
export interface CallError {
  readonly code: CallErrorCode;
  readonly server: string;
  readonly tool: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Content blocks of an `isError` result, bounded. */
  readonly content?: JsonValue;
  readonly structuredContent?: JsonValue;
  /** Handles in `content`. */
  readonly handles?: readonly ValuePath[];
}

export type CallOutcome =
  | {
      readonly ok: true;
      readonly valueJson: string;
      /** Where in the value binary content is, as handles; absent when there is none. */
      readonly handles?: readonly ValuePath[];
    }
  | { readonly ok: false; readonly error: CallError };

/** What became of one call, as told to the caller of a run. */
export interface CallReceipt {
  readonly seq: number;
  readonly server: string;
  readonly tool: string;
  /**
   * `denied` was never sent; `unknown` was sent, its effect is not known; `unsent` waited until the run ended; `planned`
   * was answered with a placeholder by a dry run.
   */
  readonly status: "ok" | "error" | "denied" | "unknown" | "unsent" | "planned";
  readonly code?: CallErrorCode;
  /** From dispatch to result, ms; 0 when never sent. */
  readonly durationMs: number;
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** True when repeating it cannot repeat an effect (read-only or never sent). */
  readonly safeToRepeat: boolean;
  /** Set when a call that needed approval did not get it; `nobody` = there was nobody to ask. */
  readonly approval?: "nobody" | "rejected" | "expired";
  /** Rules that decided it, strictest first. */
  readonly rules?: readonly string[];
  readonly line?: number;
  /** Status `planned`: what would be sent, bounded and redacted; `ask` = a person would be asked first. */
  readonly planned?: {
    readonly effect: "allow" | "ask";
    readonly reason: string;
    readonly arguments: JsonValue;
  };
}
