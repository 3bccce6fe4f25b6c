// Owns whether one call may be made: policy, approval, budget.
// Security: nothing is sent before this has said yes.
import type { CallError, CallReceipt, CallRequest } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { JsonObject } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { ask } from "./asking.ts";
import type { Spent } from "./budget.ts";
import type { DispatchContext, DispatchOptions } from "./call-context.ts";
import { pinHash } from "./pins.ts";
import { decide, howToAllow, type CallFacts } from "./policy/decide.ts";
import { callError, callName } from "./refusal.ts";
import type { CallWitness } from "./witness.ts";

type Authorized = { readonly rules: readonly string[]; readonly release: (spent: Spent) => void };
/** Of a dry run: the call is not to be made. */
type Planned = { readonly planned: Decision };
type Refused = {
  readonly error: CallError;
  readonly rules: readonly string[];
  readonly approval?: NonNullable<CallReceipt["approval"]>;
};

/**
 * The policy's verdict, a person's answer, a slot of the run, and room in every budget, in this order. Time
 * passes meanwhile, so after each wait the call is judged again, with the labels it was issued under.
 */
export async function authorize(
  request: CallRequest,
  tool: ToolDefinition,
  args: { readonly sent: JsonObject; readonly shown: JsonObject },
  context: DispatchContext,
  options: DispatchOptions,
  witness: CallWitness,
): Promise<Authorized | Planned | Refused> {
  const { principal, runId, budgets, literals, plan } = context;
  const { slot } = options;
  // Security: the labels are those of all results that came before this call, never fewer.
  const facts: CallFacts = {
    tool,
    arguments: args.sent,
    shown: args.shown,
    labels: new Set(context.labels),
    literals,
    principal,
  };
  /** Rules and budgets that a person has approved for this call. */
  const granted = new Set<string>();
  let told: Decision | undefined;
  for (;;) {
    const decision: Decision =
      told === undefined ? decide(context.policy, facts) : judgedAgain(request, facts, context, told);
    if (decision !== told) witness.decided(decision, { labels: facts.labels, arguments: args.shown });
    told = decision;
    const { effect, reason } = decision;
    if (effect === "deny") {
      const error = callError("CALL_DENIED", request, `${callName(request)} is denied: ${reason}`);
      return { error, rules: decision.rules };
    }
    if (plan !== undefined && !plan.isMade(context.policy, tool, decision)) return { planned: decision };
    if (effect === "ask" && !decision.rules.every((id) => granted.has(id))) {
      const refusal = await ask(request, facts, decision, context, options, witness);
      if (refusal?.approval === "nobody") {
        const message = `${refusal.error.message} ${howToAllow(context.policy, facts)}`;
        return { ...refusal, error: { ...refusal.error, message }, rules: decision.rules };
      }
      if (refusal !== undefined) return { ...refusal, rules: decision.rules };
      for (const id of decision.rules) granted.add(id);
      continue;
    }
    const rules = [...new Set([...decision.rules, ...granted])];
    // Security: before the budgets, so that a rate counts calls when they are made.
    if (!slot.tryTake()) {
      try {
        await slot.take();
        continue;
      } catch {
        return cancelled(request, rules);
      }
    }
    const reserved = budgets.reserve(runId, principal, facts, granted);
    if (reserved.ok) return { rules, release: reserved.release };
    // Other tools may have room.
    slot.giveBack();
    if (reserved.full) {
      try {
        await budgets.room(options.signal);
        continue;
      } catch {
        return cancelled(request, rules);
      }
    }
    const spent = {
      error: callError("CALL_BUDGET_EXCEEDED", request, reserved.reason),
      rules: [reserved.rule],
    };
    if (reserved.then === "deny" || granted.has(reserved.rule)) return spent;
    const question = { effect: "ask", reason: reserved.reason, rules: spent.rules } as const;
    if (plan !== undefined) return { planned: question };
    const refusal = await ask(request, facts, question, context, options, witness);
    if (refusal?.approval === "nobody") return { ...spent, approval: refusal.approval };
    if (refusal !== undefined) return { ...refusal, rules: spent.rules };
    granted.add(reserved.rule);
  }
}

function cancelled(request: CallRequest, rules: readonly string[]): Refused {
  return { error: callError("CALL_CANCELLED", request, "The run ended."), rules };
}

/** Security: what was approved was this tool as it was; one that has changed or gone since was not. */
function judgedAgain(
  request: CallRequest,
  facts: CallFacts,
  context: DispatchContext,
  before: Decision,
): Decision {
  const held = context.quarantine(request.server, request.tool);
  if (held !== undefined) return { effect: "deny", rules: ["pin"], reason: `it is quarantined: ${held}` };
  const now = context.known(request.server, request.tool);
  // The policy of a gate and the facts of a call do not change: neither does what follows from them.
  if (now === facts.tool || (now !== undefined && pinHash(now) === pinHash(facts.tool))) return before;
  return { effect: "deny", rules: ["pin"], reason: "its definition changed while the call waited" };
}
