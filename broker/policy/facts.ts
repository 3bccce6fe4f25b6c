// Owns what a decision knows of a call, and whether a rule or flow holds of it.
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { LiteralSet } from "./literals.ts";
import { conditionsHold } from "./matcher.ts";
import type { Flow, Rule } from "./model.ts";
import type { Reading } from "./reading.ts";

/** All that a decision is a function of, besides the policy. */
export interface CallFacts {
  readonly tool: ToolDefinition;
  /** Validated, and exactly what will be sent. */
  readonly arguments: JsonObject;
  /** The same with words in place of binary content, for a person and for records. @defaultValue `arguments` */
  readonly shown?: JsonObject | undefined;
  /** Of all results delivered before the call was issued, and those the caller gave. */
  readonly labels: ReadonlySet<string>;
  /** Constants of the approved script; undefined = unknown or not to be trusted: then nothing is literal. */
  readonly literals?: LiteralSet | undefined;
  readonly principal: string;
}

/** Whether a rule that names the tool holds of this call. */
export function ruleHolds({ effect, when, unless }: Rule, reading: Reading): boolean {
  if (when !== undefined && !conditionsHold(when, reading, effect === "allow" ? "permit" : "forbid"))
    return false;
  return unless === undefined || !conditionsHold(unless, reading, "permit");
}

/** Whether a flow that names the tool holds of this call. */
export function flowHolds({ from, unless }: Flow, labels: ReadonlySet<string>, reading: Reading): boolean {
  if (!from.every((label) => labels.has(label))) return false;
  return unless === undefined || !conditionsHold(unless, reading, "permit");
}
