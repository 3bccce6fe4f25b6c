// Owns what of a policy concerns one tool, worked out once per tool and policy.
import type { ToolDefinition } from "../../contract/tool.ts";
import type { Effect } from "../../contract/decision.ts";
import { strictest, toolKey, type Flow, type Policy, type Rule, type ToolClass } from "./model.ts";
import { matchTool } from "./tool-pattern.ts";

export interface LayerPlan {
  readonly source: string;
  readonly rules: readonly Rule[];
  readonly byEffect: Readonly<Record<Effect, readonly Rule[]>>;
  /** When no rule of the layer holds; undefined = this layer says nothing then. */
  readonly fallback: { readonly id: string; readonly effect: Effect } | undefined;
}

export interface ToolPlan {
  readonly layers: readonly LayerPlan[];
  readonly flows: readonly Flow[];
  /** Strictest last. */
  readonly classes: readonly ToolClass[];
  /** Open-world, or not known to be closed. */
  readonly external: boolean;
}

const ORDER: readonly ToolClass[] = ["read", "additive", "destructive", "unannotated"];

// Only a memo: a plan is a function of its policy and tool, both frozen in meaning.
const plans = new WeakMap<Policy, WeakMap<ToolDefinition, ToolPlan>>();

/** The plan of a tool; cached by the identity of policy and tool. */
export function planFor(policy: Policy, tool: ToolDefinition): ToolPlan {
  let ofPolicy = plans.get(policy);
  if (ofPolicy === undefined) plans.set(policy, (ofPolicy = new WeakMap()));
  let plan = ofPolicy.get(tool);
  if (plan === undefined) ofPolicy.set(tool, (plan = makePlan(policy, tool)));
  return plan;
}

function makePlan(policy: Policy, tool: ToolDefinition): ToolPlan {
  const classes = classesOf(policy, tool);
  const external = isExternal(policy, tool);
  return {
    classes,
    external,
    layers: policy.layers.map(({ source, rules: all, defaults }) => {
      const rules = all.filter((rule) => ruleNames(rule, tool));
      const of = (effect: Effect): readonly Rule[] => rules.filter((rule) => rule.effect === effect);
      const byEffect = { allow: of("allow"), ask: of("ask"), deny: of("deny") };
      return { source, rules, byEffect, fallback: fallback(classes, defaults) };
    }),
    flows: policy.flows.filter((flow) => flowNames(flow, tool, external)),
  };
}

/** Whether a rule names the tool: exactly for what permits, in any reading of the pattern for what forbids. */
export function ruleNames(
  { patterns, effect }: Rule,
  tool: Pick<ToolDefinition, "server" | "name">,
): boolean {
  return patterns.some((pattern) => matchTool(pattern, tool.server, tool.name, effect === "allow"));
}

export function flowNames({ to }: Flow, tool: ToolDefinition, external: boolean): boolean {
  return to === "external"
    ? external
    : to.some((pattern) => matchTool(pattern, tool.server, tool.name, false));
}

function fallback(
  classes: readonly ToolClass[],
  defaults: Policy["layers"][number]["defaults"],
): LayerPlan["fallback"] {
  const named = classes.filter((name) => defaults[name] !== undefined);
  if (named.length === 0) return undefined;
  const effect = strictest(named.map((name) => defaults[name]!));
  return { id: `default:${named.findLast((name) => defaults[name] === effect)!}`, effect };
}

// A later layer may see a tool as more dangerous, never as less: every class it has been given counts.
function classesOf(policy: Policy, tool: ToolDefinition): readonly ToolClass[] {
  const key = toolKey(tool.server, tool.name);
  const [first, ...later] = policy.layers;
  const trusted = first!.servers.get(tool.server)?.trust === "annotations";
  const classes = new Set<ToolClass>([
    first!.tools.get(key)?.effect ?? (trusted ? hinted(tool) : "unannotated"),
  ]);
  const lowest = ORDER.indexOf([...classes][0]!);
  for (const layer of later) {
    const effect = layer.tools.get(key)?.effect;
    if (effect !== undefined && ORDER.indexOf(effect) > lowest) classes.add(effect);
    if (layer.servers.get(tool.server)?.trust === "none" && first!.tools.get(key)?.effect === undefined) {
      classes.add("unannotated");
    }
  }
  return [...classes].toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
}

function hinted({ annotations }: ToolDefinition): ToolClass {
  if (annotations?.readOnlyHint === true) return "read";
  return annotations?.destructiveHint === false ? "additive" : "destructive";
}

function isExternal(policy: Policy, tool: ToolDefinition): boolean {
  const key = toolKey(tool.server, tool.name);
  const [first, ...later] = policy.layers;
  const stated = (layer: typeof first): boolean | undefined =>
    layer!.tools.get(key)?.external ?? layer!.servers.get(tool.server)?.external;
  if (later.some((layer) => stated(layer) === true)) return true;
  const known = stated(first);
  if (known !== undefined) return known;
  const trusted =
    first!.servers.get(tool.server)?.trust === "annotations" &&
    later.every((layer) => layer.servers.get(tool.server)?.trust !== "none");
  return !(trusted && tool.annotations?.openWorldHint === false);
}

/** Cost of one call of a tool, the highest of all layers; 0 when none states it. */
export function costOf(policy: Policy, tool: Pick<ToolDefinition, "server" | "name">): number {
  const key = toolKey(tool.server, tool.name);
  return Math.max(0, ...policy.layers.map((layer) => layer.tools.get(key)?.cost ?? 0));
}
