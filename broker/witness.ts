// Owns telling of runs and calls as they happen: to the audit log and to the trace.
import type { CallOutcome, CallRequest } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { JsonObject } from "../contract/json.ts";
import type { RunResult } from "../contract/result.ts";
import type { ApprovalResult } from "./approval.ts";
import type { AuditTrail, ElicitedFacts } from "./audit/trail.ts";
import type { ReceiptEnd } from "./receipts.ts";
import type { Telemetry, TraceOnWire } from "./telemetry.ts";

export interface Witness {
  /** Tells of the start, does the work, tells of the end. Rejects as `work` does. */
  run(
    run: {
      readonly runId: string;
      readonly principal: string;
      readonly policy: string;
      readonly labels: readonly string[];
      readonly script: string;
    },
    work: (witness: RunWitness) => Promise<RunResult>,
  ): Promise<RunResult>;
}

export interface RunWitness {
  check<T>(work: () => Promise<T>): Promise<T>;
  openCall(request: CallRequest): CallWitness;
  /** A server has asked a person; settled, whatever came of it. */
  elicited(facts: ElicitedFacts): void;
}

export interface CallWitness {
  decided(
    decision: Decision,
    facts: { readonly labels: ReadonlySet<string>; readonly arguments?: JsonObject },
  ): void;
  asked(rules: readonly string[], ask: () => Promise<ApprovalResult>): Promise<ApprovalResult>;
  /** To be awaited before the tool is called; false when it must not be, because that cannot be recorded. */
  sending(facts: { readonly reads: boolean }): Promise<boolean>;
  send<T>(work: (trace: TraceOnWire) => Promise<T>): Promise<T>;
  ended(outcome: CallOutcome, receipt: ReceiptEnd): Promise<void>;
}

export function createWitness(options: {
  readonly audit: AuditTrail;
  readonly telemetry: Telemetry;
  /** Monotonic, ms. */
  readonly clock: () => number;
  readonly protocolVersion: (server: string) => string | undefined;
}): Witness {
  const { audit, telemetry, clock } = options;
  return {
    async run(run, work) {
      const span = telemetry.openRun(run);
      const trail = audit.openRun(run);
      let end: Parameters<typeof trail.end>[0] = { status: "crashed", code: "INTERNAL", calls: 0 };
      try {
        const result = await work({
          check: (check) => span.check(check),
          elicited: (facts) => trail.elicited(facts),
          openCall(request) {
            const call = span.openCall(request, { protocolVersion: options.protocolVersion(request.server) });
            return {
              decided(decision, { labels, arguments: given }) {
                const seen = [...labels].toSorted();
                call.decided(decision, seen);
                trail.decided(request, { decision, labels: seen, arguments: given });
              },
              async asked(rules, ask) {
                const since = clock();
                const answer = await call.approval(ask);
                trail.approval(request, {
                  answer: answer.type,
                  rules,
                  waitMs: Math.round(clock() - since),
                  ...(answer.type === "rejected" && answer.reason !== undefined && { reason: answer.reason }),
                });
                return answer;
              },
              sending: (facts) => trail.sent(request, facts),
              send: (perform) => call.send(perform),
              async ended(outcome, { status, rules = [] }) {
                call.end(outcome);
                await trail.ended(request, { outcome, status, rules });
              },
            };
          },
        });
        end = { status: result.status, code: result.error?.code, calls: result.calls.length };
        return result;
      } finally {
        span.end(end);
        await trail.end(end);
      }
    },
  };
}
