// Owns the pure answers of a policy: verdict, labels, explanation, and the rule that would allow a call.
import type { Policy } from "./model.ts";

export type { CallFacts } from "./facts.ts";
export { decide } from "./verdict.ts";
export {
  explain,
  howToAllow,
  ruleThatWouldAllow,
  type ExplainedFinding,
  type Explanation,
} from "./explain.ts";

/** What a result of this server adds to the labels of a run; always with `server:<name>`. */
export function resultLabels(policy: Policy, server: string): readonly string[] {
  return [...(policy.labels.get(server) ?? []), `server:${server}`];
}

/** True when an id of a decision names a flow: such an ask is satisfied only by a grant that names it. */
export function isFlow(policy: Policy, id: string): boolean {
  return policy.flows.some((flow) => flow.id === id);
}
