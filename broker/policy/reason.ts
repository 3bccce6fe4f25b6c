// Owns the sentence that tells a person why a call was allowed, asked about or denied.
import type { Effect } from "../../contract/decision.ts";
import { plain } from "../plain-text.ts";
import type { CallFacts } from "./facts.ts";
import type { Flow, Policy, Rule } from "./model.ts";
import type { ToolPlan } from "./plan.ts";

/** Something in the policy that has a say in this call. */
export type Finding =
  | { readonly kind: "rule"; readonly id: string; readonly effect: Effect; readonly rule: Rule }
  | { readonly kind: "flow"; readonly id: string; readonly effect: Effect; readonly flow: Flow }
  | { readonly kind: "default"; readonly id: string; readonly effect: Effect };

const VERBS: Readonly<Record<Effect, string>> = { allow: "allows", ask: "asks before", deny: "denies" };
const CLASSES = {
  read: "a read-only tool of a trusted server",
  additive: "a tool of a trusted server that adds and destroys nothing",
  destructive: "a tool that may change or destroy things",
  unannotated: "a tool of a server whose own description is not trusted",
} as const;
const MAX_SOURCES = 5;

/** One sentence for the winning findings, which are sorted by id. The weightiest speaks: flow, then rule, then default. */
export function reasonFor(
  policy: Policy,
  plan: ToolPlan,
  winners: readonly Finding[],
  facts: CallFacts,
): string {
  const tool = plain(`${facts.tool.server}.${facts.tool.name}`, 120);
  const speaker =
    winners.find((finding) => finding.kind === "flow") ??
    winners.find((finding) => finding.kind === "rule" && finding.rule.reason !== undefined) ??
    winners.find((finding) => finding.kind === "rule") ??
    winners[0]!;
  if (speaker.kind === "rule") {
    const why = speaker.rule.reason === undefined ? "" : `: ${plain(speaker.rule.reason, 500)}`;
    return `rule "${speaker.id}" ${VERBS[speaker.effect]} ${tool}${why}`;
  }
  if (speaker.kind === "flow") return flowReason(policy, speaker.flow, tool, facts);
  const name = speaker.id.slice("default:".length) as keyof typeof CLASSES;
  const seen = plan.external && speaker.effect !== "allow" ? readSoFar(facts) : "";
  return `no rule names this call, and the default for ${CLASSES[name]} is ${speaker.effect}: ${tool}${seen}`;
}

function flowReason(policy: Policy, flow: Flow, tool: string, facts: CallFacts): string {
  const sources = new Set<string>();
  for (const label of flow.from) {
    if (label.startsWith("server:")) sources.add(label.slice("server:".length));
    for (const [server, labels] of policy.labels) {
      if (labels.includes(label) && facts.labels.has(`server:${server}`)) sources.add(server);
    }
  }
  const from = sources.size === 0 ? "" : ` from ${names(sources)}`;
  const reach = flow.to === "external" ? ", which reaches outside" : "";
  const why = flow.reason === undefined ? "" : `: ${plain(flow.reason, 500)}`;
  const held = flow.from.map((label) => plain(label)).join(" and ");
  return `flow "${flow.id}" ${VERBS[flow.effect]} ${tool}${reach}: this run holds ${held} data${from}${why}`;
}

function readSoFar({ labels }: CallFacts): string {
  const servers = [...labels].filter((label) => label.startsWith("server:")).map((label) => label.slice(7));
  return servers.length === 0 ? "" : ` (this run has read results of ${names(servers)})`;
}

function names(servers: Iterable<string>): string {
  const all = [...servers].toSorted().map((name) => plain(name));
  const more = all.length > MAX_SOURCES ? ` and ${all.length - MAX_SOURCES} more` : "";
  return all.slice(0, MAX_SOURCES).join(", ") + more;
}
