// Owns the ordered record of a run: what started it and every event delivered to it (design: determinism).
import type { CallOutcome } from "./call.ts";
import type { RunLimits } from "./limits.ts";

/** All that a run is a function of, besides its events. */
export interface RunStart {
  readonly runId: string;
  readonly principal: string;
  /** The script as written. */
  readonly script: string;
  /** The runnable JavaScript. */
  readonly code: string;
  /** Names a script may call: namespace → identifier → raw key, as JSON text. */
  readonly manifestJson: string;
  /** 32 hex digits; seeds `Math.random` and `crypto`. */
  readonly seed: string;
  /** Start time, ms since the epoch. */
  readonly at: number;
  readonly timeZone: string;
  readonly limits: RunLimits;
}

/** `request` is a call about to be dispatched; `call` and `timer` are deliveries, whose `at` becomes the guest's clock. */
export type RunEvent =
  | {
      readonly type: "request";
      readonly seq: number;
      readonly server: string;
      readonly tool: string;
      readonly argumentsJson: string;
    }
  | { readonly type: "call"; readonly seq: number; readonly at: number; readonly outcome: CallOutcome }
  | { readonly type: "timer"; readonly seq: number; readonly at: number };

export type Delivery = Exclude<RunEvent, { readonly type: "request" }>;

export interface RunRecord {
  readonly start: RunStart;
  readonly events: readonly RunEvent[];
}

/** Keeps records. An event is appended, and its promise settled, before it is delivered. */
export interface RunStore {
  create(start: RunStart): void | Promise<void>;
  append(runId: string, event: RunEvent): void | Promise<void>;
  load(runId: string): RunRecord | undefined | Promise<RunRecord | undefined>;
  /** The run has ended; a bounded store may forget it later. */
  end(runId: string): void | Promise<void>;
}
