// Owns the verdict on one call: every finding is collected, the strictest wins.
import type { Decision } from "../../contract/decision.ts";
import { flowHolds, ruleHolds, type CallFacts } from "./facts.ts";
import { strictest, type Policy } from "./model.ts";
import { planFor, type ToolPlan } from "./plan.ts";
import { reasonFor, type Finding } from "./reason.ts";

/**
 * The strictest of deny > ask > allow over every rule that holds, each layer's default where none of its rules holds,
 * and every flow. Pins, grants and budgets are not its business. Arguments must have been validated before.
 */
export function decide(policy: Policy, facts: CallFacts): Decision {
  const plan = planFor(policy, facts.tool);
  const findings = findingsOf(plan, facts);
  const effect = strictest(findings.map((finding) => finding.effect));
  const winners = findings
    .filter((finding) => finding.effect === effect)
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const rules = [...new Set(winners.map((finding) => finding.id))];
  return { effect, rules, reason: reasonFor(policy, plan, winners, facts) };
}

function findingsOf(plan: ToolPlan, facts: CallFacts): Finding[] {
  const findings: Finding[] = [];
  for (const layer of plan.layers) {
    const before = findings.length;
    for (const rule of layer.rules) {
      if (ruleHolds(rule, facts)) findings.push({ kind: "rule", id: rule.id, effect: rule.effect, rule });
    }
    if (findings.length === before && layer.fallback !== undefined)
      findings.push({ kind: "default", ...layer.fallback });
  }
  for (const flow of plan.flows) {
    if (flowHolds(flow, facts)) findings.push({ kind: "flow", id: flow.id, effect: flow.effect, flow });
  }
  return findings;
}
