// Owns one field of a server's question at the terminal: what is shown of it, and how what is typed is read.
import {
  elicitationOptions,
  elicitationProblem,
  type ElicitationField,
  type ElicitationValue,
} from "../index.ts";
import { visibleLine } from "./text/visible.ts";

/** What was typed, read; or in a sentence why it is no answer. */
export type ReadField =
  | { readonly type: "value"; readonly value: ElicitationValue }
  /** The field is left out. */
  | { readonly type: "nothing" }
  | { readonly type: "problem"; readonly problem: string };

/** Rows above the query: what the field is called, and its options by number. */
export function fieldRows(name: string, field: ElicitationField): readonly string[] {
  const { title, description } = field;
  const head = title === undefined || title === name ? name : `${title} (${name})`;
  const about = description === undefined ? "" : `: ${description}`;
  return [
    visibleLine(`${head}${about}`, 700),
    ...optionTitles(field).map((option, index) => `  ${index + 1}  ${visibleLine(option, 300)}`),
  ];
}

/** What can be typed, and what Enter alone means. */
export function fieldHint(field: ElicitationField, required: boolean): string {
  const kind = kindOf(field);
  if (field.default !== undefined) return `${kind}; Enter = ${shownValue(field, field.default)}`;
  return required ? kind : `${kind}; Enter = leave it out`;
}

export function readField(field: ElicitationField, typed: string, required: boolean): ReadField {
  if (typed.trim() === "") {
    if (field.default !== undefined) return { type: "value", value: field.default };
    return required ? { type: "problem", problem: "an answer is needed here" } : { type: "nothing" };
  }
  const value = valueOf(field, typed);
  const problem = elicitationProblem(field, value);
  return problem === undefined
    ? { type: "value", value: value as ElicitationValue }
    : { type: "problem", problem };
}

/** As a person is shown what will be sent. */
export function shownValue(field: ElicitationField, value: ElicitationValue): string {
  const titles = new Map(optionValues(field).map((option, index) => [option, optionTitles(field)[index]]));
  const one = (part: string): string => visibleLine(titles.get(part) ?? part, 300);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return one(value);
  return typeof value === "number" ? String(value) : value.map(one).join(", ");
}

function kindOf(field: ElicitationField): string {
  if (field.type === "boolean") return "y/n";
  if (field.type === "array") return "numbers, such as 1,3";
  if (optionValues(field).length > 0) return "a number";
  if (field.type === "integer") return "a whole number";
  return field.type === "string" ? (field.format ?? "text") : "a number";
}

function valueOf(field: ElicitationField, typed: string): unknown {
  const word = typed.trim();
  switch (field.type) {
    case "boolean":
      return /^(?:y|yes|true)$/i.test(word) ? true : /^(?:n|no|false)$/i.test(word) ? false : undefined;
    case "number":
    case "integer":
      return Number(word);
    case "array":
      return word.split(/[\s,]+/).map((part) => optionOf(field, part));
    case "string":
      return optionValues(field).length > 0 ? optionOf(field, word) : typed;
  }
}

/** By its number in the list; by its text where no number is meant. */
function optionOf(field: ElicitationField, typed: string): string {
  const options = optionValues(field);
  return options.includes(typed) || !/^\d{1,4}$/.test(typed) ? typed : (options[Number(typed) - 1] ?? typed);
}

function optionValues(field: ElicitationField): readonly string[] {
  return elicitationOptions(field) ?? [];
}

function optionTitles(field: ElicitationField): readonly string[] {
  const titled = field.type === "string" ? field.oneOf : undefined;
  const several = field.type === "array" && "anyOf" in field.items ? field.items.anyOf : undefined;
  const named = (titled ?? several)?.map((option) => option.title);
  if (named !== undefined) return named;
  const names = field.type === "string" ? field.enumNames : undefined;
  return optionValues(field).map((value, index) => names?.[index] ?? value);
}
