// Owns the way from written layers to a compiled policy, and the errors on it.
import { createHash } from "node:crypto";
import { CallgateError } from "../../contract/error.ts";
import { canonicalJson, type JsonValue } from "../../contract/json.ts";
import { plain } from "../plain-text.ts";
import { compileLayer, Ids } from "./compile.ts";
import type { Flow, Policy } from "./model.ts";
import { compileOutput, joinKinds, type ValueKind } from "./output.ts";
import { describeIssues, pathText, PolicyProblem, refuseUnsupported } from "./problems.ts";
import { policySchema, type PolicyInput } from "./schema.ts";

export type { Policy } from "./model.ts";
export type { PolicyInput } from "./schema.ts";

/** One layer with the name by which a person knows it, for example its file. */
export interface PolicyLayer {
  readonly source: string;
  readonly value: unknown;
}

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
    kinds: inputs.reduce<readonly ValueKind[]>(
      (known, { output }, index) =>
        located(given[index]!.source, () => joinKinds(known, compileOutput(output))),
      [],
    ),
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
function reserveIds(input: PolicyInput, ids: Ids, source: string): void {
  for (const kind of ["rules", "flows"] as const) {
    (input[kind] ?? []).forEach(({ id }, index) => {
      if (id !== undefined && !ids.take(id)) {
        invalid(source, [
          {
            path: `${kind}[${index}].id`,
            expected: `expected an id of its own; "${id}" names another rule or flow`,
          },
        ]);
      }
    });
  }
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
