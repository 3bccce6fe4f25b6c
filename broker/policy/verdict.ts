// Owns the verdict on one call: the strictest of everything that holds.
import type { Decision, Effect } from "../../contract/decision.ts";
import { CallgateError } from "../../contract/error.ts";
import { flowHolds, ruleHolds, type CallFacts } from "./facts.ts";
import type { Policy, Rule } from "./model.ts";
import { planFor, type LayerPlan, type ToolPlan } from "./plan.ts";
import { Reading } from "./reading.ts";
import { reasonFor, type Finding } from "./reason.ts";

const STRICTEST_FIRST: readonly Effect[] = ["deny", "ask", "allow"];

/**
 * The strictest of deny > ask > allow over every rule that holds, each layer's default where none of its rules holds,
 * and every flow. Pins, grants and budgets are not its business. Arguments must have been validated before.
 */
export function decide(policy: Policy, facts: CallFacts): Decision {
  const plan = planFor(policy, facts.tool);
  const call = new Judged(plan, facts);
  for (const effect of STRICTEST_FIRST) {
    const winners = call.findings(effect);
    if (winners.length === 0) continue;
    winners.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    const rules = [...new Set(winners.map((finding) => finding.id))];
    return { effect, rules, reason: reasonFor(policy, plan, winners, facts) };
  }
  throw new CallgateError("INTERNAL", "a policy without a default reached a decision; please report this");
}

/** One call under one policy; a rule is looked at only when its effect can still matter, and once. */
class Judged {
  readonly #plan: ToolPlan;
  readonly #facts: CallFacts;
  readonly #reading: Reading;
  readonly #held: Map<LayerPlan, Map<Effect, readonly Rule[]>> = new Map();

  constructor(plan: ToolPlan, facts: CallFacts) {
    this.#plan = plan;
    this.#facts = facts;
    this.#reading = new Reading(facts.arguments, facts.literals);
  }

  /** Everything of this effect that holds. */
  findings(effect: Effect): Finding[] {
    const found: Finding[] = [];
    for (const layer of this.#plan.layers) {
      for (const rule of this.#rules(layer, effect)) found.push({ kind: "rule", id: rule.id, effect, rule });
      const { fallback } = layer;
      if (fallback?.effect === effect && this.#isSilent(layer)) found.push({ kind: "default", ...fallback });
    }
    for (const flow of this.#plan.flows) {
      if (flow.effect !== effect || !flowHolds(flow, this.#facts.labels, this.#reading)) continue;
      found.push({ kind: "flow", id: flow.id, effect, flow });
    }
    return found;
  }

  #isSilent(layer: LayerPlan): boolean {
    return STRICTEST_FIRST.every((effect) => this.#rules(layer, effect).length === 0);
  }

  #rules(layer: LayerPlan, effect: Effect): readonly Rule[] {
    let byEffect = this.#held.get(layer);
    if (byEffect === undefined) this.#held.set(layer, (byEffect = new Map()));
    let held = byEffect.get(effect);
    if (held === undefined) {
      held = layer.byEffect[effect].filter((rule) => ruleHolds(rule, this.#reading));
      byEffect.set(effect, held);
    }
    return held;
  }
}
