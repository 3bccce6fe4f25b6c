// Owns what is told to the audit log about runs and calls, and that nothing is done which could not be told.
import type { CallOutcome, CallReceipt, CallRequest } from "../../contract/call.ts";
import type { Decision } from "../../contract/decision.ts";
import type { ErrorCode } from "../../contract/error.ts";
import type { JsonObject } from "../../contract/json.ts";
import { plain } from "../plain-text.ts";
import type { Redactor } from "../redact.ts";
import { bodyOf, errorBody, textBody, valueBody } from "./body.ts";
import type { AuditBodies, AuditEntry, AuditSink, CallApproval, CallElicited, RunEnded } from "./entry.ts";

export interface AuditTrail {
  openRun(run: {
    readonly runId: string;
    readonly principal: string;
    readonly policy: string;
    readonly labels: readonly string[];
    readonly script: string;
  }): RunTrail;
  /** What could not be written, for the notes of the gate. */
  notes(): readonly string[];
}

/** Facts of one run. Texts are redacted here. */
export interface RunTrail {
  decided(request: CallRequest, facts: DecidedFacts): void;
  approval(request: CallRequest, facts: Pick<CallApproval, "answer" | "rules" | "waitMs" | "reason">): void;
  elicited(facts: ElicitedFacts): void;
  /** Resolves to false when this, or anything of the run before, could not be written: do not call. */
  sent(request: CallRequest, facts: { readonly reads: boolean }): Promise<boolean>;
  /** Resolves once written, or known not to be. */
  ended(
    request: CallRequest,
    facts: {
      readonly outcome: CallOutcome;
      readonly status: CallReceipt["status"];
      readonly rules: readonly string[];
    },
  ): Promise<void>;
  end(facts: Pick<RunEnded, "status" | "calls"> & { readonly code: ErrorCode | undefined }): Promise<void>;
}

export interface DecidedFacts {
  readonly decision: Decision;
  readonly labels: readonly string[];
  /** Absent for what is no JSON. */
  readonly arguments?: JsonObject | undefined;
}

export interface ElicitedFacts {
  readonly server: string;
  readonly seq?: number;
  readonly tool?: string;
  readonly action: CallElicited["action"];
  readonly waitMs: number;
  readonly reason?: string;
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

const MAX_TEXT = 1_000;
const MAX_ITEMS = 200;

/** Without a sink nothing is made of all this. */
export function createAuditTrail(options: {
  readonly sink: AuditSink | undefined;
  readonly bodies: AuditBodies;
  readonly redactor: Redactor;
  /** Also hides what the policy keeps back from runs of a principal. */
  readonly record: (principal: string) => Redactor;
  readonly clock: () => number;
}): AuditTrail {
  const { sink, bodies, clock } = options;
  let lost = 0;
  let why = "";
  if (sink === undefined) return { openRun: () => SILENT, notes: () => [] };

  return {
    notes: () => (lost === 0 ? [] : [`audit: ${lost} entries were lost, and calls refused: ${why}`]),
    openRun({ runId, principal, policy, labels, script }) {
      const redactor = options.record(principal);
      const clean = (text: string): string => plain(redactor.redact(text), MAX_TEXT);
      const all = (texts: readonly string[]): readonly string[] => texts.slice(0, MAX_ITEMS).map(clean);
      let whole = true;
      let settled: Promise<unknown> = Promise.resolve();
      const say = (entry: AuditEntry): Promise<void> => {
        const said = tell(entry);
        settled = Promise.all([settled, said]);
        return said;
      };
      const tell = async (entry: AuditEntry): Promise<void> => {
        try {
          await sink.append(entry);
        } catch (error) {
          whole = false;
          lost += 1;
          const message = String((error as { message?: unknown } | undefined)?.message);
          why = plain(options.redactor.redact(message), MAX_TEXT);
        }
      };
      const at = (): string => new Date(clock()).toISOString();
      const of = (request: CallRequest): Pick<CallApproval, "at" | "runId" | "seq" | "server" | "tool"> => ({
        at: at(),
        runId,
        seq: request.seq,
        server: clean(request.server),
        tool: clean(request.tool),
      });
      void say({
        type: "run.start",
        at: at(),
        runId,
        principal: clean(principal),
        policy,
        labels: all(labels),
        script: textBody(script, bodies, redactor),
      });
      return {
        decided(request, { decision, labels: seen, arguments: given }) {
          void say({
            type: "call.decided",
            ...of(request),
            effect: decision.effect,
            rules: all(decision.rules),
            reason: clean(decision.reason),
            labels: all(seen),
            ...(request.line !== undefined && { line: request.line }),
            ...(given !== undefined && { arguments: valueBody(given, bodies, redactor) }),
          });
        },
        approval(request, { answer, rules, waitMs, reason }) {
          void say({
            type: "call.approval",
            ...of(request),
            answer,
            rules: all(rules),
            waitMs,
            ...(reason !== undefined && { reason: clean(reason) }),
          });
        },
        elicited({ server, seq, tool, action, waitMs, reason, content }) {
          void say({
            type: "call.elicited",
            at: at(),
            runId,
            server: clean(server),
            ...(seq !== undefined && { seq }),
            ...(tool !== undefined && { tool: clean(tool) }),
            action,
            waitMs,
            ...(reason !== undefined && { reason: clean(reason) }),
            ...(content !== undefined && { content: valueBody(content as JsonObject, bodies, redactor) }),
          });
        },
        async sent(request, { reads }) {
          if (whole) void say({ type: "call.sent", ...of(request), reads });
          // Security: a sink may keep a later entry sooner; the call waits for everything that was told before it.
          await settled;
          return whole;
        },
        async ended(request, { outcome, status, rules }) {
          await say({
            type: "call.ended",
            ...of(request),
            status,
            ...(!outcome.ok && { code: outcome.error.code }),
            rules: all(rules),
            result: outcome.ok
              ? bodyOf(outcome.valueJson, bodies, redactor)
              : errorBody(outcome.error, bodies, redactor),
          });
        },
        async end({ status, calls, code }) {
          await say({ type: "run.end", at: at(), runId, status, ...(code !== undefined && { code }), calls });
        },
      };
    },
  };
}

const SILENT: RunTrail = {
  decided: () => {},
  approval: () => {},
  elicited: () => {},
  sent: () => Promise.resolve(true),
  ended: () => Promise.resolve(),
  end: () => Promise.resolve(),
};
