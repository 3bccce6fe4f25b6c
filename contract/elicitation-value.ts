// Owns whether a value answers a field of a server's question. Pure.
import type { ChoicesField, ElicitationField, NumberField, TextField } from "./elicitation.ts";

/** Longer texts are no answers, UTF-16 units. */
const MAX_TEXT = 10_000;

/** What is wrong with `value` as an answer to `field`, for the person who gave it; undefined when nothing is. */
export function elicitationProblem(field: ElicitationField, value: unknown): string | undefined {
  switch (field.type) {
    case "string":
      return textProblem(field, value);
    case "number":
    case "integer":
      return numberProblem(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "expected true or false";
    case "array":
      return choicesProblem(field, value);
  }
}

/** The values that a choice allows; undefined for a field that is none. */
export function elicitationOptions(field: ElicitationField): readonly string[] | undefined {
  if (field.type === "string") return field.oneOf?.map((option) => option.const) ?? field.enum;
  if (field.type !== "array") return undefined;
  return "anyOf" in field.items ? field.items.anyOf.map((option) => option.const) : field.items.enum;
}

function textProblem(field: TextField, value: unknown): string | undefined {
  if (typeof value !== "string") return "expected a text";
  const options = elicitationOptions(field);
  if (options !== undefined) return options.includes(value) ? undefined : "it is not one of the options";
  const { minLength = 0, maxLength = MAX_TEXT } = field;
  const length = Array.from(value.slice(0, MAX_TEXT * 2)).length;
  if (length < minLength) return `expected at least ${minLength} characters`;
  if (length > Math.min(maxLength, MAX_TEXT))
    return `expected at most ${Math.min(maxLength, MAX_TEXT)} characters`;
  return formatProblem(field.format, value);
}

function formatProblem(format: TextField["format"], value: string): string | undefined {
  switch (format) {
    case "email":
      return /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value) ? undefined : "expected an e-mail address";
    case "uri":
      return URL.canParse(value) ? undefined : "expected a URI, such as https://example.org/";
    case "date":
      return isDate(value) ? undefined : "expected a date, such as 2026-07-28";
    case "date-time":
      return isDateTime(value) ? undefined : "expected a date and time, such as 2026-07-28T09:00:00Z";
    default:
      return undefined;
  }
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isDateTime(value: string): boolean {
  const [, date = ""] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i.exec(value) ?? [];
  return isDate(date) && !Number.isNaN(Date.parse(value));
}

function numberProblem({ type, minimum, maximum }: NumberField, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "expected a number";
  if (type === "integer" && !Number.isInteger(value)) return "expected a whole number";
  if (minimum !== undefined && value < minimum) return `expected at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `expected at most ${maximum}`;
  return undefined;
}

function choicesProblem(field: ChoicesField, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "expected a list of options";
  const options = elicitationOptions(field) ?? [];
  if (!value.every((one) => options.includes(one as string)))
    return "it has something that is not one of the options";
  if (new Set(value).size !== value.length) return "it has an option twice";
  const { minItems = 0, maxItems = options.length } = field;
  if (value.length < minItems) return `expected at least ${minItems} of the options`;
  if (value.length > maxItems) return `expected at most ${maxItems} of the options`;
  return undefined;
}
