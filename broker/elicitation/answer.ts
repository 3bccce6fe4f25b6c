// Owns the check of a person's answer before it is sent to the server that asked.
import type { ElicitationAnswer, ElicitationSchema, ElicitationValue } from "../../contract/elicitation.ts";
import { elicitationProblem } from "../../contract/elicitation-value.ts";
import { quoted } from "../plain-text.ts";

export interface CheckedAnswer {
  readonly action: ElicitationAnswer["action"];
  /** With `accept` only. */
  readonly content?: Readonly<Record<string, ElicitationValue>>;
  /** Why an acceptance became a cancellation. */
  readonly problem?: string;
}

/** Defaults stand where a field was left out. Security: what the server did not ask for, or does not fit, is not sent. */
export function checkAnswer(schema: ElicitationSchema, answer: unknown): CheckedAnswer {
  const { action, content } = record(answer);
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return cancelled("the answer was none");
  const given = content ?? {};
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return cancelled("the answer has no fields");
  const extra = Object.keys(given).find((name) => !Object.hasOwn(schema.properties, name));
  if (extra !== undefined) return cancelled(`the answer has a field ${quoted(extra)} that was not asked for`);
  const values: [string, ElicitationValue][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(given, name) ? record(given)[name] : undefined;
    if (value !== undefined) {
      const problem = elicitationProblem(field, value);
      if (problem !== undefined) return cancelled(`the answer to ${quoted(name)} does not fit: ${problem}`);
      values.push([name, value as ElicitationValue]);
    } else if (field.default !== undefined) values.push([name, field.default]);
    else if (schema.required.includes(name)) return cancelled(`the answer to ${quoted(name)} is missing`);
  }
  return { action, content: Object.fromEntries(values) };
}

function cancelled(problem: string): CheckedAnswer {
  return { action: "cancel", problem };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
