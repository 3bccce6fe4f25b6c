// Owns the full account of one decision: every rule and flow that had a say or nearly did.
import type { Decision, Effect } from "../../contract/decision.ts";
import { plain } from "../plain-text.ts";
import { flowHolds, ruleHolds, type CallFacts } from "./facts.ts";
import { escapeGlob } from "./glob.ts";
import { judge, type Conditions, type Purpose } from "./matcher.ts";
import type { Policy, ToolClass } from "./model.ts";
import { planFor } from "./plan.ts";
import { Reading } from "./reading.ts";
import { decide } from "./verdict.ts";

/** One rule, flow or default that concerns the tool of the call. */
export interface ExplainedFinding {
  readonly kind: "rule" | "flow" | "default";
  readonly id: string;
  /** The layer it stands in. */
  readonly source: string;
  readonly effect: Effect;
  readonly holds: boolean;
  /** Holds, and has the effect that won. */
  readonly won: boolean;
  /** What was found per argument or label, in words. */
  readonly because: readonly string[];
}

export interface Explanation {
  readonly decision: Decision;
  /** Classes that chose the default, strictest last. */
  readonly classes: readonly ToolClass[];
  readonly external: boolean;
  readonly findings: readonly ExplainedFinding[];
}

/** Lists every rule and flow that names the tool, whether it held and why, and what won. */
export function explain(policy: Policy, facts: CallFacts): Explanation {
  const decision = decide(policy, facts);
  const plan = planFor(policy, facts.tool);
  const reading = new Reading(facts.arguments, facts.literals);
  const findings: ExplainedFinding[] = [];
  const add = (finding: Omit<ExplainedFinding, "won">): void => {
    findings.push({ ...finding, won: finding.holds && finding.effect === decision.effect });
  };
  for (const { source, rules, fallback } of plan.layers) {
    const held = rules.map((rule) => ruleHolds(rule, reading));
    rules.forEach(({ id, effect, when, unless }, index) => {
      const because = [
        ...describe(when, reading, effect === "allow" ? "permit" : "forbid", ""),
        ...describe(unless, reading, "permit", "unless "),
      ];
      add({ kind: "rule", id, source, effect, holds: held[index]!, because });
    });
    if (fallback !== undefined) {
      const because = held.includes(true) ? ["a rule of this layer holds"] : ["no rule of this layer holds"];
      add({
        kind: "default",
        id: fallback.id,
        source,
        effect: fallback.effect,
        holds: !held.includes(true),
        because,
      });
    }
  }
  for (const flow of plan.flows) {
    const because = flow.from.map(
      (label) => `${plain(label)}: ${facts.labels.has(label) ? "in this run" : "not in this run"}`,
    );
    add({
      kind: "flow",
      id: flow.id,
      source: policy.layers[flow.layer]!.source,
      effect: flow.effect,
      holds: flowHolds(flow, facts.labels, reading),
      because: [...because, ...describe(flow.unless, reading, "permit", "unless ")],
    });
  }
  return { decision, classes: plan.classes, external: plan.external, findings };
}

const WORDS = { yes: "holds", no: "does not hold", unsure: "cannot be told" } as const;

function describe(
  conditions: Conditions | undefined,
  reading: Reading,
  purpose: Purpose,
  prefix: string,
): readonly string[] {
  return (conditions?.arguments ?? []).map(({ path, matcher }) => {
    const truth = judge(path, matcher, reading, purpose);
    const counts =
      truth === "unsure" ? (purpose === "forbid" ? ", which counts as a match" : ", which is no match") : "";
    const demand = plain(JSON.stringify(conditions!.source[path.source]), 160);
    return `${prefix}${plain(path.source)} ${demand}: ${WORDS[truth]}${counts}`;
  });
}

/** The JSONC text of the rule that would allow every call of this tool, for the first layer's `rules`. */
export function ruleThatWouldAllow(facts: Pick<CallFacts, "tool">): string {
  const { server, name } = facts.tool;
  const pattern = `${escapeGlob(server, ".")}.${escapeGlob(name)}`;
  // Security: names are the server's own; ASCII-only JSON text cannot forge a second line or reorder the first.
  const text = JSON.stringify(pattern).replace(/[^\x20-\x7e]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `{ "tools": ${text}, "effect": "allow" }`;
}

/**
 * One sentence on how the policy could let this call pass without asking: the rule to add when only a default asks,
 * else which rule, flow or layer would have to change. Empty when the call is allowed.
 */
export function howToAllow(policy: Policy, facts: CallFacts): string {
  const { decision, findings } = explain(policy, facts);
  if (decision.effect === "allow") return "";
  const winners = findings.filter(({ won }) => won);
  const verb = decision.effect === "ask" ? "asks for" : "denies";
  const flow = winners.find(({ kind }) => kind === "flow");
  if (flow !== undefined) {
    return `Flow "${flow.id}" ${verb} it whatever the rules say; an "unless" on that flow can spare it.`;
  }
  const rule = winners.find(({ kind }) => kind === "rule");
  if (rule !== undefined) {
    return `Rule "${rule.id}" of ${plain(rule.source)} ${verb} it, and no allow rule goes before that.`;
  }
  const source = policy.layers[0]!.source;
  const others = winners.filter((winner) => winner.source !== source).map((winner) => plain(winner.source));
  const also = others.length === 0 ? "" : ` (and in ${others.join(", ")}, whose default ${verb} it too)`;
  return `A rule that would allow it${also}: ${ruleThatWouldAllow(facts)}`;
}
