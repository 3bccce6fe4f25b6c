// Owns the table of JSON Schema keywords that are kept, by the form their value must have, and the dialects.
import { own, type JsonObject } from "../json.ts";

export type Dialect = "draft-04" | "draft-07" | "2019-09" | "2020-12";

export type KeywordForm =
  | "schema"
  | "schemas"
  | "schema-or-schemas"
  | "schema-map"
  | "dependencies"
  | "strings"
  | "string-lists"
  | "number"
  | "limit"
  | "positive"
  | "count"
  | "flag"
  | "text"
  | "values"
  | "value";

// A keyword that is not listed is an extension: it says nothing about values, and validators may trip over it.
export const KEYWORDS: ReadonlyMap<string, KeywordForm> = new Map<string, KeywordForm>([
  ["$defs", "schema-map"],
  ["definitions", "schema-map"],
  ["properties", "schema-map"],
  ["patternProperties", "schema-map"],
  ["dependentSchemas", "schema-map"],
  ["dependencies", "dependencies"],
  ["dependentRequired", "string-lists"],
  ["required", "strings"],
  ["additionalProperties", "schema"],
  ["unevaluatedProperties", "schema"],
  ["propertyNames", "schema"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["prefixItems", "schemas"],
  ["items", "schema-or-schemas"],
  ["additionalItems", "schema"],
  ["unevaluatedItems", "schema"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "flag"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["enum", "values"],
  ["const", "value"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "limit"],
  ["exclusiveMaximum", "limit"],
  ["multipleOf", "positive"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "text"],
  ["format", "text"],
  ["title", "text"],
  ["description", "text"],
  ["default", "value"],
  ["deprecated", "flag"],
]);

/** Keywords that only describe; they stay beside a `$ref` of a draft that ignores its siblings. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "deprecated"]);
export const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
/** Keywords whose subschemas see the same value as the schema that holds them. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
]);
export const TYPES: ReadonlySet<string> = new Set([
  "null",
  "boolean",
  "object",
  "array",
  "number",
  "string",
  "integer",
]);

/** The dialect that `$schema` names; `known` is false when it names one that is not supported. */
export function dialectOf(schema: JsonObject): { readonly dialect: Dialect; readonly known: boolean } {
  const uri = own(schema, "$schema");
  if (uri === undefined) return { dialect: "2020-12", known: true };
  if (typeof uri !== "string") return { dialect: "2020-12", known: false };
  // Absent means 2020-12 in MCP. Draft-06 differs from draft-07 only by if/then/else.
  if (/json-schema\.org\/draft-04\//.test(uri)) return { dialect: "draft-04", known: true };
  if (/json-schema\.org\/draft-0[67]\//.test(uri)) return { dialect: "draft-07", known: true };
  if (/json-schema\.org\/draft\/2019-09\//.test(uri)) return { dialect: "2019-09", known: true };
  return { dialect: "2020-12", known: /json-schema\.org\/draft\/2020-12\//.test(uri) };
}
