// Owns what of a policy concerns one tool, worked out once per tool and policy.
import type { ToolDefinition } from "../../contract/tool.ts";
import type { Effect } from "../../contract/decision.ts";
import {
  strictest,
  toolKey,
  type Flow,
  type Policy,
  type Rule,
  type ToolClass,
  type ToolFacts,
} from "./model.ts";
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

// What only the tightening half of counts: facts of later layers, and facts whose name can be read as this tool's.
function tighteningFacts({ layers }: Policy, key: string): readonly ToolFacts[] {
  return layers.flatMap((layer, index) => {
    const later = index === 0 ? undefined : layer.tools.get(key);
    return [...(later === undefined ? [] : [later]), ...(layer.alike.get(key) ?? [])];
  });
}

// A later layer may see a tool as more dangerous, never as less: of all classes it is given the strictest default counts.
function classesOf(policy: Policy, tool: ToolDefinition): readonly ToolClass[] {
  const key = toolKey(tool.server, tool.name);
  const [first, ...later] = policy.layers;
  const stated = first!.tools.get(key)?.effect;
  const trusted = first!.servers.get(tool.server)?.trust === "annotations";
  const base = stated ?? (trusted ? hinted(tool) : "unannotated");
  const classes = new Set<ToolClass>([base]);
  for (const { effect } of tighteningFacts(policy, key)) {
    if (effect !== undefined) classes.add(effect);
  }
  if (stated === undefined && later.some((layer) => layer.servers.get(tool.server)?.trust === "none")) {
    classes.add("unannotated");
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
  if (tighteningFacts(policy, key).some(({ external }) => external === true)) return true;
  if (later.some((layer) => layer.servers.get(tool.server)?.external === true)) return true;
  const known = first!.tools.get(key)?.external ?? first!.servers.get(tool.server)?.external;
  if (known !== undefined) return known;
  const trusted =
    first!.servers.get(tool.server)?.trust === "annotations" &&
    later.every((layer) => layer.servers.get(tool.server)?.trust !== "none");
  return !(trusted && tool.annotations?.openWorldHint === false);
}

/** Cost of one call of a tool, the highest of all layers; 0 when none states it. */
export function costOf(policy: Policy, tool: Pick<ToolDefinition, "server" | "name">): number {
  const key = toolKey(tool.server, tool.name);
  const facts = [policy.layers[0]!.tools.get(key), ...tighteningFacts(policy, key)];
  return Math.max(0, ...facts.map((each) => each?.cost ?? 0));
}
