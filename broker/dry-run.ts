// Owns the plan of a dry run: which calls are made all the same, and what the others are answered with.
import type { CallReceipt, CallRequest } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { JsonObject } from "../contract/json.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { placeholderFor } from "./placeholder.ts";
import { planFor } from "./policy/plan.ts";
import type { Policy } from "./policy/model.ts";
import type { Redactor } from "./redact.ts";
import { callName } from "./refusal.ts";
import { shownArguments } from "./shown-arguments.ts";

export interface PlannedCall {
  /** What the script gets. */
  readonly valueJson: string;
  readonly planned: NonNullable<CallReceipt["planned"]>;
}

/** The calls of one dry run. */
export interface Plan {
  /** True for a call that is made: allowed, and of a tool that is read-only in the policy's own view. */
  isMade(policy: Policy, tool: ToolDefinition, decision: Decision): boolean;
  add(request: CallRequest, tool: ToolDefinition, args: JsonObject, decision: Decision): PlannedCall;
}

/** Arguments kept of all planned calls together, UTF-16 units. */
const MAX_PLAN_UNITS = 1 << 20;

export function createPlan(options: { readonly redactor: Redactor }): Plan {
  let units = 0;
  return {
    // Security: a server that is not trusted may call anything read-only; only the policy's class counts.
    isMade: (policy, tool, { effect }) =>
      effect === "allow" && planFor(policy, tool).classes.every((name) => name === "read"),
    add(request, tool, args, { effect, reason }) {
      const shown = shownArguments(args, options.redactor);
      units += JSON.stringify(shown).length;
      const value = placeholderFor(tool.outputSchema, `<planned: ${callName(request)} #${request.seq}>`);
      return {
        valueJson: JSON.stringify(value),
        planned: {
          effect: effect === "allow" ? "allow" : "ask",
          reason,
          arguments: units <= MAX_PLAN_UNITS ? shown : "(not kept: the plan has become too long)",
        },
      };
    },
  };
}
