// Owns short forms of the things policy tests are made of.
import type { Decision } from "../../../contract/decision.ts";
import type { JsonObject } from "../../../contract/json.ts";
import type { ToolAnnotations, ToolDefinition } from "../../../contract/tool.ts";
import { decide, type CallFacts } from "../../../broker/policy/decide.ts";
import type { LiteralSet } from "../../../broker/policy/literals.ts";
import { parsePolicy, type Policy, type PolicyInput } from "../../../broker/policy/parse.ts";

/** Cases per law; more by CALLGATE_PROPERTY_RUNS. */
export const propertyRuns: number = Number(process.env["CALLGATE_PROPERTY_RUNS"] ?? 2_000);

/** ms; grows with the number of cases. */
export const propertyTimeout: number = 60_000 + propertyRuns * 20;

export function policyOf(...layers: readonly PolicyInput[]): Policy {
  return parsePolicy(layers.map((value, index) => ({ source: `layer ${index + 1}`, value })));
}

export function tool(server: string, name: string, annotations?: ToolAnnotations): ToolDefinition {
  return { server, name, inputSchema: { type: "object" }, ...(annotations && { annotations }) };
}

export interface Given {
  readonly labels?: readonly string[];
  readonly literals?: LiteralSet;
}

export function facts(definition: ToolDefinition, args: JsonObject = {}, given: Given = {}): CallFacts {
  return {
    tool: definition,
    arguments: args,
    labels: new Set(given.labels),
    literals: given.literals,
    principal: "someone",
  };
}

/** The decision on `server.tool` with arguments, under one layer. */
export function verdict(
  policy: PolicyInput,
  name: string,
  args: JsonObject = {},
  given: Given = {},
): Decision {
  const dot = name.indexOf(".");
  return decide(policyOf(policy), facts(tool(name.slice(0, dot), name.slice(dot + 1)), args, given));
}
