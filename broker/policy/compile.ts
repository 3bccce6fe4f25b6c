// Owns turning one written layer into its compiled form.
import type { Effect } from "../../contract/decision.ts";
import { plain } from "../plain-text.ts";
import { compileBudgets } from "./compile-budgets.ts";
import { parseConditions } from "./matcher.ts";
import {
  toolKey,
  type Budget,
  type Flow,
  type Layer,
  type Rule,
  type ToolClass,
  type ToolFacts,
} from "./model.ts";
import { PolicyProblem, type ProblemPath } from "./problems.ts";
import type { PolicyInput, RuleInput } from "./schema.ts";
import { patternAt, type ToolPattern } from "./tool-pattern.ts";

const DEFAULTS: Readonly<Record<ToolClass, Effect>> = {
  read: "allow",
  additive: "ask",
  destructive: "ask",
  unannotated: "ask",
};

/** Ids name rules and flows in decisions and grants, so no two may share one. */
export class Ids {
  readonly #taken = new Set<string>();
  /** Takes a written id; false when it is taken. */
  take(id: string): boolean {
    return !this.#taken.has(id) && this.#taken.add(id) !== undefined;
  }
  /** Makes an id that a person recognises for a rule without one. */
  make(parts: readonly string[]): string {
    const base = plain(parts.join(" "), 100);
    let id = base;
    for (let n = 2; !this.take(id); n++) id = `${base} #${n}`;
    return id;
  }
}
export interface CompiledLayer {
  readonly layer: Layer;
  readonly flows: readonly Flow[];
  readonly budgets: readonly Budget[];
}

/** Compiles a layer; `index` 0 is the first one, which has all defaults. Throws PolicyProblem. */
export function compileLayer(input: PolicyInput, source: string, index: number, ids: Ids): CompiledLayer {
  const short = input.default;
  const all =
    short === undefined ? {} : { read: short, additive: short, destructive: short, unannotated: short };
  const layer: Layer = {
    source,
    rules: (input.rules ?? []).map((rule, at) => compileRule(rule, ["rules", at], ids)),
    defaults: { ...(index === 0 ? DEFAULTS : {}), ...all, ...input.defaults },
    servers: new Map(
      Object.entries(input.servers ?? {}).map(([name, { trust, external }]) => [name, { trust, external }]),
    ),
    ...compileFacts(input),
  };
  return { layer, flows: compileFlows(input, index, ids), budgets: compileBudgets(input, index) };
}

function compileFacts(input: PolicyInput): Pick<Layer, "tools" | "alike"> {
  const tools = new Map<string, ToolFacts>();
  const alike = new Map<string, ToolFacts[]>();
  for (const [name, { effect, external, cost }] of Object.entries(input.tools ?? {})) {
    const { exact, splits } = patternAt(name, ["tools", name]);
    if (exact.serverName === undefined || exact.toolName === undefined) {
      throw PolicyProblem.expected(["tools", name], "the name of one tool, without wildcards");
    }
    const facts: ToolFacts = { effect: effect === "write" ? "destructive" : effect, external, cost };
    const key = toolKey(exact.serverName, exact.toolName);
    tools.set(key, facts);
    for (const { serverName, toolName } of splits) {
      const other = toolKey(serverName!, toolName!);
      if (other !== key) alike.set(other, [...(alike.get(other) ?? []), facts]);
    }
  }
  return { tools, alike };
}

function compileRule(input: RuleInput, at: ProblemPath, ids: Ids): Rule {
  if (input.effect === "allow" && input.unless !== undefined) {
    throw PolicyProblem.expected(
      [...at, "unless"],
      'no "unless" on an allow rule; narrow its "when", or add a deny rule',
    );
  }
  return {
    id: input.id ?? ids.make([input.effect, list(input.tools).join(", ")]),
    patterns: patternsAt(input.tools, [...at, "tools"]),
    effect: input.effect,
    when: input.when && parseConditions(input.when, [...at, "when"]),
    unless: input.unless && parseConditions(input.unless, [...at, "unless"]),
    reason: input.reason,
  };
}

function compileFlows(input: PolicyInput, layer: number, ids: Ids): Flow[] {
  return (input.flows ?? []).map((flow, index) => {
    const at = ["flows", index];
    const external = typeof flow.to === "object" && !Array.isArray(flow.to);
    const to = external ? "external" : (flow.to as string | readonly string[]);
    return {
      id:
        flow.id ??
        ids.make(["flow", list(flow.from).join(" + "), "to", external ? "external" : list(to).join(", ")]),
      layer,
      from: list(flow.from),
      to: external ? "external" : patternsAt(to, [...at, "to"]),
      effect: flow.effect,
      unless: flow.unless && parseConditions(flow.unless, [...at, "unless"]),
      reason: flow.reason,
    };
  });
}
function patternsAt(sources: string | readonly string[], at: ProblemPath): ToolPattern[] {
  return list(sources).map((source, index) =>
    patternAt(source, typeof sources === "string" ? at : [...at, index]),
  );
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
