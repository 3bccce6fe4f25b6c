// Owns the way from written layers to a compiled policy, and the errors on it.
import { createHash } from "node:crypto";
import type { Effect } from "../../contract/decision.ts";
import { CallgateError } from "../../contract/error.ts";
import { canonicalJson, type JsonValue } from "../../contract/json.ts";
import { plain } from "../plain-text.ts";
import { parseConditions, PolicyProblem } from "./matcher.ts";
import {
  toolKey,
  type Budget,
  type Flow,
  type Layer,
  type Policy,
  type Rule,
  type ToolClass,
} from "./model.ts";
import { describeIssues, pathText, refuseUnsupported } from "./problems.ts";
import {
  policySchema,
  type BudgetInput,
  type PolicyInput,
  type RuleInput,
  type SameCallInput,
} from "./schema.ts";
import { parseToolPattern, type ToolPattern } from "./tool-pattern.ts";
import { parseRate, parseSize } from "./units.ts";

export type { Policy } from "./model.ts";
export type { PolicyInput } from "./schema.ts";

type Path = readonly (string | number)[];

/** One layer with the name by which a person knows it, for example its file. */
export interface PolicyLayer {
  readonly source: string;
  readonly value: unknown;
}

const DEFAULTS: Readonly<Record<ToolClass, Effect>> = {
  read: "allow",
  additive: "ask",
  destructive: "ask",
  unannotated: "ask",
};

/** Private and untrusted data together must not leave without a person. */
const TRIFECTA: Flow = {
  id: "trifecta",
  layer: 0,
  from: ["private", "untrusted"],
  to: "external",
  effect: "ask",
  unless: undefined,
  reason: undefined,
};

/**
 * Joins layers into one policy. The first layer is the whole policy (the built-in defaults fill its gaps); every later
 * one can only take away. The first may replace the built-in flow `trifecta` by one of that id.
 * Throws CONFIG_POLICY_INVALID: source, path, what was expected.
 */
export function parsePolicy(layers: readonly PolicyLayer[]): Policy {
  const given = layers.length === 0 ? [{ source: "built-in", value: {} }] : layers;
  const ids = new Ids();
  const inputs = given.map(({ source, value }) => readLayer(source, value));
  inputs.forEach((input, index) => reserveIds(input, ids, given[index]!.source));
  const compiled = inputs.map((input, index) => {
    const { source } = given[index]!;
    return located(source, () => compileLayer(input, source, index, ids));
  });
  const flows = compiled.flatMap((layer) => layer.flows);
  const replaced = compiled[0]!.flows.some((flow) => flow.id === TRIFECTA.id);
  return deepFreeze({
    hash: createHash("sha256")
      .update(canonicalJson(inputs as unknown as JsonValue))
      .digest("hex"),
    layers: compiled.map(({ layer }) => layer),
    flows: replaced ? flows : [TRIFECTA, ...flows],
    budgets: compiled.flatMap((layer) => layer.budgets),
    labels: joinLabels(inputs),
  });
}

function readLayer(source: string, value: unknown): PolicyInput {
  located(source, () => refuseUnsupported(value));
  const parsed = policySchema.safeParse(value);
  if (!parsed.success) invalid(source, describeIssues(parsed.error.issues));
  // Dropping `undefined` members here keeps the hash a function of what was written.
  return JSON.parse(JSON.stringify(parsed.data)) as PolicyInput;
}

function located<T>(source: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error;
    return invalid(source, [{ path: pathText(error.path), expected: error.message }]);
  }
}

function invalid(source: string, problems: readonly { path: string; expected: string }[]): never {
  const lines = problems.map(({ path, expected }) => `${path}: ${expected}`);
  throw new CallgateError("CONFIG_POLICY_INVALID", `policy ${plain(source, 200)}: ${lines.join("; ")}`, {
    data: { source, problems },
  });
}

/** Ids name rules and flows in decisions and grants, so no two may share one. */
class Ids {
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

function reserveIds(input: PolicyInput, ids: Ids, source: string): void {
  for (const kind of ["rules", "flows"] as const) {
    (input[kind] ?? []).forEach(({ id }, index) => {
      if (id !== undefined && !ids.take(id)) {
        invalid(source, [
          { path: `${kind}[${index}].id`, expected: `an id of its own; "${id}" names another rule or flow` },
        ]);
      }
    });
  }
}

interface CompiledLayer {
  readonly layer: Layer;
  readonly flows: readonly Flow[];
  readonly budgets: readonly Budget[];
}

function compileLayer(input: PolicyInput, source: string, index: number, ids: Ids): CompiledLayer {
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
    tools: new Map(
      Object.entries(input.tools ?? {}).map(([name, { effect, external, cost }]) => {
        const { exact } = patternAt(name, ["tools", name]);
        if (exact.serverName === undefined || exact.toolName === undefined) {
          throw new PolicyProblem(["tools", name], "the name of one tool, without wildcards");
        }
        const facts = { effect: effect === "write" ? "destructive" : effect, external, cost } as const;
        return [toolKey(exact.serverName, exact.toolName), facts];
      }),
    ),
  };
  return { layer, flows: compileFlows(input, index, ids), budgets: compileBudgets(input, index) };
}

function compileRule(input: RuleInput, at: Path, ids: Ids): Rule {
  if (input.effect === "allow" && input.unless !== undefined) {
    throw new PolicyProblem(
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

function compileBudgets(input: PolicyInput, layer: number): Budget[] {
  return Object.entries(input.budgets ?? {}).map(([key, value]) => {
    const at = ["budgets", key];
    const id = layer === 0 ? `budget:${plain(key)}` : `budget:${plain(key)}@${layer + 1}`;
    if (key === "sameCall") {
      const { times, then } = value as SameCallInput;
      return { ...NO_BOUNDS, id, sameCall: times, then: then ?? "deny" };
    }
    return compileBudget(key, value as BudgetInput, id, at);
  });
}

const NO_BOUNDS: Omit<Budget, "id" | "then"> = {
  per: "run",
  pattern: undefined,
  calls: undefined,
  rate: undefined,
  cost: undefined,
  resultBytes: undefined,
  concurrency: undefined,
  wallMs: undefined,
  sameCall: undefined,
};

function compileBudget(key: string, input: BudgetInput, id: string, at: Path): Budget {
  const whole = key === "run" || key === "principal";
  if (whole && input.per !== undefined)
    throw new PolicyProblem([...at, "per"], `no "per": the key "${key}" says it`);
  const per = key === "principal" ? "principal" : (input.per ?? "run");
  if (input.wallMinutes !== undefined && key !== "run") {
    throw new PolicyProblem([...at, "wallMinutes"], 'no "wallMinutes": only the budget "run" has it');
  }
  const resultBytes = input.resultBytes === undefined ? undefined : parseSize(input.resultBytes);
  if (input.resultBytes !== undefined && resultBytes === undefined) {
    throw new PolicyProblem([...at, "resultBytes"], 'a size such as 4000 or "100MB"');
  }
  const rate = input.rate === undefined ? undefined : parseRate(input.rate);
  if (input.rate !== undefined && rate === undefined) {
    throw new PolicyProblem(
      [...at, "rate"],
      'a rate such as "10/hour": at most 10000 per second, minute, hour or day',
    );
  }
  const { calls, cost, concurrency, wallMinutes } = input;
  if ([calls, rate, cost, resultBytes, concurrency, wallMinutes].every((bound) => bound === undefined)) {
    throw new PolicyProblem(
      at,
      "at least one bound: calls, rate, cost, resultBytes, concurrency or wallMinutes",
    );
  }
  return {
    ...NO_BOUNDS,
    id,
    per,
    pattern: whole ? undefined : patternAt(key, at),
    calls,
    rate,
    cost,
    resultBytes,
    concurrency,
    wallMs: wallMinutes === undefined ? undefined : wallMinutes * 60_000,
    then: input.then ?? "deny",
  };
}

function patternsAt(sources: string | readonly string[], at: Path): ToolPattern[] {
  return list(sources).map((source, index) =>
    patternAt(source, typeof sources === "string" ? at : [...at, index]),
  );
}

function patternAt(source: string, at: Path): ToolPattern {
  const pattern = parseToolPattern(source);
  if ("expected" in pattern) throw new PolicyProblem(at, `expected ${pattern.expected}`);
  return pattern;
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

function joinLabels(inputs: readonly PolicyInput[]): ReadonlyMap<string, readonly string[]> {
  const labels = new Map<string, Set<string>>();
  for (const input of inputs) {
    for (const [server, { results }] of Object.entries(input.servers ?? {})) {
      labels.set(server, new Set([...(labels.get(server) ?? []), ...(results ?? [])]));
    }
  }
  return new Map([...labels].map(([server, set]) => [server, [...set].toSorted()]));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
