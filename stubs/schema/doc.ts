// Owns what a type cannot say about a property: its description and its constraints in short form.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import type { PropertyDoc } from "./type-tree.ts";

const LONGEST_DEFAULT = 40;
const LONGEST_PATTERN = 60;

/** The documentation of one property schema; `undefined` when there is nothing to say. */
export function docOf(schema: JsonValue): PropertyDoc | undefined {
  if (!isJsonObject(schema)) return undefined;
  const description = own(schema, "description");
  const constraints = constraintsOf(schema);
  const text = typeof description === "string" && description.trim() !== "" ? description : undefined;
  if (text === undefined && constraints.length === 0) return undefined;
  return { ...(text === undefined ? {} : { description: text }), constraints };
}

function constraintsOf(schema: JsonObject): readonly string[] {
  const found: string[] = [];
  const add = (text: string | undefined): void => {
    if (text !== undefined) found.push(text);
  };
  if (own(schema, "deprecated") === true) found.push("deprecated");
  const value = own(schema, "default") as JsonValue | undefined;
  if (value !== undefined && value !== null) {
    const text = JSON.stringify(value);
    if (text.length <= LONGEST_DEFAULT) found.push(`default ${text}`);
  }
  const type = own(schema, "type");
  if (type === "integer" || (Array.isArray(type) && type.includes("integer"))) found.push("integer");
  add(range(schema));
  const step = number(schema, "multipleOf");
  if (step !== undefined && step !== 1) found.push(`multiple of ${step}`);
  add(span(number(schema, "minLength"), number(schema, "maxLength"), "chars"));
  add(span(number(schema, "minItems"), number(schema, "maxItems"), "items"));
  add(span(number(schema, "minProperties"), number(schema, "maxProperties"), "keys"));
  const format = own(schema, "format");
  if (typeof format === "string" && /^[\w.-]{1,30}$/.test(format)) found.push(format);
  const pattern = own(schema, "pattern");
  if (typeof pattern === "string" && pattern.length <= LONGEST_PATTERN) found.push(`/${pattern}/`);
  return found;
}

/** A limit that a double holds exactly; others would print a wrong digit. */
function number(schema: JsonObject, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

function range(schema: JsonObject): string | undefined {
  const min = number(schema, "minimum");
  const max = number(schema, "maximum");
  const strict = own(schema, "exclusiveMinimum") === true;
  const above = strict ? min : number(schema, "exclusiveMinimum");
  const below = own(schema, "exclusiveMaximum") === true ? max : number(schema, "exclusiveMaximum");
  if (above === undefined && below === undefined) return span(min, max, "");
  const lower = above !== undefined ? `>${above}` : min === undefined ? undefined : `>=${min}`;
  const upper = below !== undefined ? `<${below}` : max === undefined ? undefined : `<=${max}`;
  return [lower, upper].filter((text) => text !== undefined).join(" ");
}

function span(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const low = min === 0 && unit !== "" ? undefined : min;
  const tail = unit === "" ? "" : ` ${unit}`;
  if (low === undefined && max === undefined) return undefined;
  if (max === undefined) return `>=${low}${tail}`;
  if (low === undefined) return `<=${max}${tail}`;
  return `${low}..${max}${tail}`;
}
