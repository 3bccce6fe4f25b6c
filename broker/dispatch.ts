// Owns the one path of a call: validate, decide, approve, budget, perform, check, receipt.
// Security: nothing else in the project calls an upstream.
import type { CallError, CallOutcome, CallRequest } from "../contract/call.ts";
import { CallgateError } from "../contract/error.ts";
import { byteLength, type JsonObject } from "../contract/json.ts";
import type { RunLimits } from "../contract/limits.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { Approvals } from "./approval.ts";
import type { Budgets, Spent } from "./budget.ts";
import { decide, resultLabels, ruleThatWouldAllow } from "./policy/decide.ts";
import type { Policy } from "./policy/parse.ts";
import type { ReceiptEnd, Receipts } from "./receipts.ts";
import type { Redactor } from "./redact.ts";
import { callError, thrownCallError } from "./refusal.ts";
import { shownArguments } from "./shown-arguments.ts";
import type { Progress, Upstream, UpstreamResult } from "./upstream/upstream.ts";
import { toCallValue } from "./upstream/value.ts";
import { validateArguments, validateResult } from "./validate.ts";
import type { CallWitness, RunWitness } from "./witness.ts";

/** All that a call of one run meets on its way. */
export interface DispatchContext {
  readonly runId: string;
  readonly principal: string;
  readonly limits: RunLimits;
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly budgets: Budgets;
  readonly receipts: Receipts;
  readonly redactor: Redactor;
  /** Labels of every result this run has seen, and of the conversation. Grows. */
  readonly labels: Set<string>;
  find(
    server: string,
    tool: string,
  ): { readonly definition: ToolDefinition; readonly upstream: Upstream } | undefined;
  /** Why the tool is held back; undefined when it is not. */
  quarantine(server: string, tool: string): string | undefined;
  readonly witness: RunWitness;
  readonly onProgress?: ((request: CallRequest, progress: Progress) => void) | undefined;
}

export interface DispatchOptions {
  readonly signal: AbortSignal;
  readonly holdWall: () => () => void;
}

type Ended = { readonly outcome: CallOutcome; readonly receipt: ReceiptEnd };

/** Rejects only for a fault of Callgate itself. Answers soon after `signal` aborts. */
export async function dispatch(
  request: CallRequest,
  context: DispatchContext,
  options: DispatchOptions,
): Promise<CallOutcome> {
  const receipt = context.receipts.open(request);
  const witness = context.witness.openCall(request);
  try {
    const { outcome, receipt: end } = await perform(request, context, options, receipt.sent, witness);
    await witness.ended(outcome, end);
    receipt.close(end);
    return outcome;
  } finally {
    // Closed already unless something above is broken; the run then ends with INTERNAL.
    receipt.close({ status: "error", code: "CALL_UPSTREAM_UNAVAILABLE" });
  }
}

async function perform(
  request: CallRequest,
  context: DispatchContext,
  options: DispatchOptions,
  sent: () => void,
  witness: CallWitness,
): Promise<Ended> {
  const found = context.find(request.server, request.tool);
  if (found === undefined) return refused(callError("CALL_UNKNOWN_TOOL", request, unknownTool(request)));
  const { definition, upstream } = found;
  const held = context.quarantine(request.server, request.tool);
  if (held !== undefined) {
    const decision = { effect: "deny", rules: ["pin"], reason: held } as const;
    witness.decided(decision, { labels: context.labels });
    const text = `${name(request)} is quarantined: ${held}.`;
    return refused(callError("CALL_DENIED", request, text), decision.rules);
  }

  const valid = validateArguments(definition, request.argumentsJson, {
    maxBytes: context.limits.argumentBytes,
  });
  if (!valid.ok) return refused(callError("CALL_INVALID_ARGUMENTS", request, valid.message));

  const authorized = await authorize(request, definition, valid.value, context, options, witness);
  if ("error" in authorized) return refused(authorized.error, authorized.rules);
  const { rules, release } = authorized;
  const reads = definition.annotations?.readOnlyHint === true;
  if (options.signal.aborted) {
    release({ sent: false });
    return refused(callError("CALL_CANCELLED", request, "The run ended."), rules);
  }
  // Security: what cannot be recorded is not done.
  if (!(await witness.sending({ reads }))) {
    release({ sent: false });
    const text = `${name(request)} is refused: it cannot be recorded in the audit log.`;
    return refused(callError("CALL_DENIED", request, text), rules);
  }
  sent();
  try {
    const { onProgress } = context;
    const result = await witness.send(() =>
      upstream.call(definition, valid.value, {
        signal: options.signal,
        timeoutMs: context.limits.callTimeoutMs,
        ...(onProgress !== undefined && { onProgress: (progress) => onProgress(request, progress) }),
      }),
    );
    const ended = received(request, definition, result, context, rules, reads);
    release({ resultBytes: ended.receipt.resultBytes ?? 0 });
    return ended;
  } catch (error) {
    const failure = thrownCallError(error, request);
    const unsent = CallgateError.is(error) && error.data["sent"] === false;
    release({ sent: !unsent });
    const cancelled = failure.code === "CALL_CANCELLED" || failure.code === "CALL_TIMEOUT";
    const status = cancelled && !unsent ? "cancelled" : "error";
    return failed(failure, { status, rules, safeToRepeat: reads || unsent });
  } finally {
    // Security: an error carries the server's words as well as a result does.
    for (const label of resultLabels(context.policy, request.server)) context.labels.add(label);
  }
}

type Authorized = { readonly rules: readonly string[]; readonly release: (spent: Spent) => void };
type Refused = { readonly error: CallError; readonly rules: readonly string[] };

async function authorize(
  request: CallRequest,
  tool: ToolDefinition,
  args: JsonObject,
  context: DispatchContext,
  options: DispatchOptions,
  witness: CallWitness,
): Promise<Authorized | Refused> {
  const { policy, principal, runId, budgets } = context;
  // Security: the labels are those of all results that came before this call, never fewer.
  const facts = { tool, arguments: args, labels: new Set(context.labels), principal };
  const decision = decide(policy, facts);
  witness.decided(decision, facts);
  const rules = [...decision.rules];
  if (decision.effect === "deny") {
    return {
      error: callError("CALL_DENIED", request, `${name(request)} is denied: ${decision.reason}`),
      rules,
    };
  }
  const granted = new Set<string>();
  if (decision.effect === "ask") {
    const error = await ask(request, args, decision.reason, rules, context, options, witness);
    if (error !== undefined) return { error: withHint(error, ruleThatWouldAllow(facts)), rules };
    for (const id of rules) granted.add(id);
  }
  for (;;) {
    const reserved = budgets.reserve(runId, principal, facts, granted);
    if (reserved.ok) return { rules, release: reserved.release };
    if (reserved.full) {
      try {
        await budgets.room(options.signal);
        continue;
      } catch {
        return { error: callError("CALL_CANCELLED", request, "The run ended."), rules };
      }
    }
    const refusal = {
      error: callError("CALL_BUDGET_EXCEEDED", request, reserved.reason),
      rules: [reserved.rule],
    };
    if (reserved.then === "deny" || granted.has(reserved.rule)) return refusal;
    const error = await ask(request, args, reserved.reason, [reserved.rule], context, options, witness);
    if (error !== undefined)
      return error.code === "CALL_DENIED" ? refusal : { error, rules: [reserved.rule] };
    granted.add(reserved.rule);
    rules.push(reserved.rule);
  }
}

function withHint(error: CallError, rule: string): CallError {
  return error.code === "CALL_DENIED"
    ? { ...error, message: `${error.message} A rule that would allow it: ${rule}` }
    : error;
}

async function ask(
  request: CallRequest,
  args: JsonObject,
  reason: string,
  rules: readonly string[],
  context: DispatchContext,
  { signal, holdWall }: DispatchOptions,
  witness: CallWitness,
): Promise<CallError | undefined> {
  const resume = holdWall();
  try {
    const { runId, seq, server, tool, line } = request;
    const shown = shownArguments(args, context.redactor);
    const calls = context.receipts.list();
    const question = {
      runId,
      seq,
      server,
      tool,
      arguments: shown,
      reason,
      rules,
      calls,
      ...(line !== undefined && { line }),
    };
    const answer = await witness.asked(rules, () => context.approvals.ask(question, { signal }));
    switch (answer.type) {
      case "granted":
        return undefined;
      case "rejected": {
        const because = answer.reason === undefined ? "" : `: ${answer.reason}`;
        return callError("CALL_APPROVAL_REJECTED", request, `${name(request)} was not approved${because}.`);
      }
      case "expired":
        return callError("CALL_APPROVAL_EXPIRED", request, `Nobody approved ${name(request)} in time.`);
      case "nobody": {
        const text = `${name(request)} needs approval (${reason}), and there is nobody to ask.`;
        return callError("CALL_DENIED", request, text);
      }
    }
  } finally {
    resume();
  }
}

function received(
  request: CallRequest,
  definition: ToolDefinition,
  result: UpstreamResult,
  context: DispatchContext,
  rules: readonly string[],
  reads: boolean,
): Ended {
  const value = toCallValue(result);
  const valueJson = JSON.stringify(value);
  const resultBytes = byteLength(valueJson);
  const extra = {
    content: result.content,
    ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
  };
  const facts = { rules, resultBytes, safeToRepeat: reads };
  if (result.isError) {
    const text = typeof value === "string" ? value : valueJson;
    return failed(callError("CALL_TOOL_ERROR", request, text, extra), { ...facts, status: "error" });
  }
  if (resultBytes > context.limits.resultBytes) {
    const text = `The result of ${name(request)} has ${resultBytes} bytes, over the limit of ${context.limits.resultBytes} (limit resultBytes). The call was made; ask for less.`;
    return failed(callError("CALL_INVALID_RESULT", request, text), { ...facts, status: "error" });
  }
  if (definition.outputSchema !== undefined && result.structuredContent !== undefined) {
    const valid = validateResult(definition, result.structuredContent);
    if (!valid.ok) {
      const text = `The result of ${name(request)} does not match its outputSchema: ${valid.message}. The call was made; the result is in structuredContent.`;
      return failed(callError("CALL_INVALID_RESULT", request, text, extra), { ...facts, status: "error" });
    }
  }
  return { outcome: { ok: true, valueJson }, receipt: { ...facts, status: "ok" } };
}

function failed(error: CallError, receipt: Omit<ReceiptEnd, "code">): Ended {
  return { outcome: { ok: false, error }, receipt: { ...receipt, code: error.code } };
}

function refused(error: CallError, rules: readonly string[] = []): Ended {
  return failed(error, { status: "denied", rules, safeToRepeat: true });
}

function name(request: CallRequest): string {
  return `${request.server}.${request.tool}`.slice(0, 200);
}

function unknownTool(request: CallRequest): string {
  return `There is no tool ${name(request)}. Use catalog.search(query) to find one.`;
}
