// Owns the reading of a server's question: bounded and showable texts, and only the flat fields that MCP allows.
// Security: all of it is untrusted; what cannot be shown as it is, is not asked.
import { z } from "zod";
import type { ElicitationField, ElicitationSchema } from "../../contract/elicitation.ts";
import { isJsonObject, type JsonValue } from "../../contract/json.ts";
import { elicitationProblem } from "../../contract/elicitation-value.ts";
import { plain, quoted } from "../plain-text.ts";

export interface ElicitationForm {
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

const MAX_FIELDS = 30;
const MAX_OPTIONS = 100;
const NAME_UNITS = 64;
const VALUE_UNITS = 200;
const TITLE_UNITS = 120;
const TEXT_UNITS = 400;
const MESSAGE_LINES = 40;
const MESSAGE_UNITS = 4_000;

/** Sent back as it is, so it must be shown as it is. */
const value = z.string().refine((text) => plain(text, VALUE_UNITS) === text);
const words = {
  title: z
    .string()
    .transform((text) => plain(text, TITLE_UNITS))
    .optional(),
  description: z
    .string()
    .transform((text) => plain(text, TEXT_UNITS))
    .optional(),
};
const count = z.int().min(0).optional();
const options = z.array(
  z.object({ const: value, title: z.string().transform((text) => plain(text, TITLE_UNITS)) }),
);
const values = z.array(value).min(1).max(MAX_OPTIONS);
const fieldSchema = z.union([
  z.object({
    type: z.literal("string"),
    ...words,
    minLength: count,
    maxLength: count,
    // A format that is not known is not checked.
    format: z.enum(["email", "uri", "date", "date-time"]).optional().catch(undefined),
    enum: values.optional(),
    enumNames: z
      .array(z.string().transform((text) => plain(text, TITLE_UNITS)))
      .max(MAX_OPTIONS)
      .optional(),
    oneOf: options.min(1).max(MAX_OPTIONS).optional(),
    default: z.string().optional(),
  }),
  z.object({
    type: z.enum(["number", "integer"]),
    ...words,
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.object({ type: z.literal("boolean"), ...words, default: z.boolean().optional() }),
  z.object({
    type: z.literal("array"),
    ...words,
    minItems: count,
    maxItems: count,
    items: z.union([
      z.object({ anyOf: options.min(1).max(MAX_OPTIONS) }),
      z.object({ type: z.literal("string"), enum: values }),
    ]),
    default: z.array(z.string()).max(MAX_OPTIONS).optional(),
  }),
]);
const paramsSchema = z.object({
  mode: z.literal("form").optional(),
  message: z.string(),
  requestedSchema: z.object({
    type: z.literal("object"),
    properties: z.unknown(),
    required: z.array(z.string()).optional(),
  }),
});

/** The form, or in a sentence why it is not asked. */
export function parseForm(params: unknown): ElicitationForm | string {
  const parsed = paramsSchema.safeParse(params);
  if (!parsed.success) return "it asks in a form that cannot be read";
  const { message, requestedSchema } = parsed.data;
  const properties = (requestedSchema.properties ?? {}) as JsonValue;
  if (!isJsonObject(properties)) return "it asks in a form that cannot be read";
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return `its form has ${entries.length} fields; ${MAX_FIELDS} are the most`;
  const fields: [string, ElicitationField][] = [];
  for (const [name, raw] of entries) {
    // Security: a name is an object's key later, and is shown to a person.
    if (name === "" || name === "__proto__" || plain(name, NAME_UNITS) !== name)
      return `its form has a field of the name ${quoted(name)}, which cannot be shown`;
    const field = fieldSchema.safeParse(raw);
    if (!field.success) return `the field ${quoted(name)} of its form is of a kind that cannot be asked for`;
    fields.push([name, withFittingDefault(field.data as ElicitationField)]);
  }
  const names = new Set(fields.map(([name]) => name));
  return {
    message: lines(message),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(fields),
      required: [...new Set(requestedSchema.required)].filter((name) => names.has(name)),
    },
  };
}

/**
 * A default that the field itself does not allow would be refused after the person has left it. Security: one that
 * cannot be shown as it is would be sent in the person's name, unseen.
 */
function withFittingDefault(field: ElicitationField): ElicitationField {
  const { default: given, ...rest } = field;
  const isShown = typeof given !== "string" || plain(given, VALUE_UNITS) === given;
  const fits = given !== undefined && isShown && elicitationProblem(field, given) === undefined;
  return fits ? field : (rest as ElicitationField);
}

function lines(text: string): string {
  const kept = text.slice(0, MESSAGE_UNITS * 2).split(/\r\n|[\r\n]/, MESSAGE_LINES);
  const shown = kept.map((line) => plain(line.replaceAll("\t", " "), MESSAGE_UNITS)).join("\n");
  return shown.length <= MESSAGE_UNITS
    ? shown.trim()
    : `${shown.slice(0, MESSAGE_UNITS - 1).toWellFormed()}…`;
}
