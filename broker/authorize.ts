// Owns whether one call may be made: policy, approval, budget.
// Security: nothing is sent before this has said yes.
import type { CallError, CallReceipt, CallRequest } from "../contract/call.ts";
import type { JsonObject } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { Spent } from "./budget.ts";
import type { DispatchContext, DispatchOptions } from "./call-context.ts";
import { decide, howToAllow } from "./policy/decide.ts";
import { callError, callName } from "./refusal.ts";
import { shownArguments } from "./shown-arguments.ts";
import type { CallWitness } from "./witness.ts";

type Authorized = { readonly rules: readonly string[]; readonly release: (spent: Spent) => void };
type Refused = {
  readonly error: CallError;
  readonly rules: readonly string[];
  readonly approval?: NonNullable<CallReceipt["approval"]>;
};
type NotApproved = Pick<Refused, "error"> & Required<Pick<Refused, "approval">>;

/** The policy's verdict, a person's answer, and room in every budget, in this order. */
export async function authorize(
  request: CallRequest,
  tool: ToolDefinition,
  args: JsonObject,
  context: DispatchContext,
  options: DispatchOptions,
  witness: CallWitness,
): Promise<Authorized | Refused> {
  const { policy, principal, runId, budgets, literals } = context;
  // Security: the labels are those of all results that came before this call, never fewer.
  const facts = { tool, arguments: args, labels: new Set(context.labels), literals, principal };
  const decision = decide(policy, facts);
  witness.decided(decision, facts);
  const rules = [...decision.rules];
  if (decision.effect === "deny") {
    return {
      error: callError("CALL_DENIED", request, `${callName(request)} is denied: ${decision.reason}`),
      rules,
    };
  }
  const granted = new Set<string>();
  if (decision.effect === "ask") {
    const refusal = await ask(request, args, decision.reason, rules, context, options, witness);
    if (refusal?.approval === "nobody") {
      const message = `${refusal.error.message} ${howToAllow(policy, facts)}`;
      return { ...refusal, error: { ...refusal.error, message }, rules };
    }
    if (refusal !== undefined) return { ...refusal, rules };
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
    const answer = await ask(request, args, reserved.reason, [reserved.rule], context, options, witness);
    if (answer?.approval === "nobody") return { ...refusal, approval: answer.approval };
    if (answer !== undefined) return { ...answer, rules: [reserved.rule] };
    granted.add(reserved.rule);
    rules.push(reserved.rule);
  }
}

async function ask(
  request: CallRequest,
  args: JsonObject,
  reason: string,
  rules: readonly string[],
  context: DispatchContext,
  { signal, holdWall }: DispatchOptions,
  witness: CallWitness,
): Promise<NotApproved | undefined> {
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
        const text = `${callName(request)} was not approved${because}.`;
        return { approval: answer.type, error: callError("CALL_APPROVAL_REJECTED", request, text) };
      }
      case "expired": {
        const text = `Nobody approved ${callName(request)} in time.`;
        return { approval: answer.type, error: callError("CALL_APPROVAL_EXPIRED", request, text) };
      }
      case "nobody": {
        const text = `${callName(request)} needs approval (${reason}), and there is nobody to ask.`;
        return { approval: answer.type, error: callError("CALL_DENIED", request, text) };
      }
    }
  } finally {
    resume();
  }
}
