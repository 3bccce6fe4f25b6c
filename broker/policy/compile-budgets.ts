// Owns turning the written budgets of one layer into their compiled form.
import { plain } from "../plain-text.ts";
import type { Budget } from "./model.ts";
import { PolicyProblem, type ProblemPath } from "./problems.ts";
import type { BudgetInput, PolicyInput, SameCallInput } from "./schema.ts";
import { patternAt } from "./tool-pattern.ts";
import { parseRate, parseSize } from "./units.ts";

/** Compiles the budgets of a layer; ids of later layers end in `@2`, `@3` … Throws PolicyProblem. */
export function compileBudgets(input: PolicyInput, layer: number): Budget[] {
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

function compileBudget(key: string, input: BudgetInput, id: string, at: ProblemPath): Budget {
  const whole = key === "run" || key === "principal";
  if (whole && input.per !== undefined)
    throw PolicyProblem.expected([...at, "per"], `no "per": the key "${key}" says it`);
  const per = key === "principal" ? "principal" : (input.per ?? "run");
  if (input.wallMinutes !== undefined && key !== "run") {
    throw PolicyProblem.expected([...at, "wallMinutes"], 'no "wallMinutes": only the budget "run" has it');
  }
  const resultBytes = input.resultBytes === undefined ? undefined : parseSize(input.resultBytes);
  if (input.resultBytes !== undefined && resultBytes === undefined) {
    throw PolicyProblem.expected([...at, "resultBytes"], 'a size such as 4000 or "100MB"');
  }
  const rate = input.rate === undefined ? undefined : parseRate(input.rate);
  if (input.rate !== undefined && rate === undefined) {
    throw PolicyProblem.expected(
      [...at, "rate"],
      'a rate such as "10/hour": at most 10000 per second, minute, hour or day',
    );
  }
  const { calls, cost, concurrency, wallMinutes } = input;
  if ([calls, rate, cost, resultBytes, concurrency, wallMinutes].every((bound) => bound === undefined)) {
    throw PolicyProblem.expected(
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
