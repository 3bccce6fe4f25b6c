// Owns names and schemas in the form that the Anthropic API accepts.
import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../index.ts";

export const REFUSED_IN_NAMES: RegExp = /[^a-zA-Z0-9_-]/g;
const REFUSED_IN_KEYS = /[^a-zA-Z0-9_.-]/g;
const NAME_LENGTH = 64;
/** Keywords whose value is no schema, and those that hold schemas by name. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** One name the API accepts for each path; paths whose plain names are the same or too long end in a hash. */
export function uniqueNames(paths: readonly (readonly string[])[], refused: RegExp): readonly string[] {
  const plain = paths.map((path) => path.join("__").replace(refused, "_"));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    if (counts.get(name) === 1 && name.length <= NAME_LENGTH && name !== "") return name;
    const hash = createHash("sha256").update(JSON.stringify(paths[index])).digest("hex").slice(0, 8);
    return `${name.slice(0, NAME_LENGTH - 9)}_${hash}`;
  });
}

/**
 * One tool that the API refuses fails the whole request. It wants an object without a choice at the top, and plain names
 * of properties there. The broker still checks the arguments by the schema as it was.
 */
export function acceptedSchema(original: JsonObject): {
  readonly schema: JsonObject;
  readonly keys: ReadonlyMap<string, string>;
} {
  const { anyOf, oneOf, allOf, required, ...rest } = original;
  const choices = [allOf, oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? (list as JsonValue[]) : []));
  const properties = [
    ...new Map([...choices, original].flatMap((part) => Object.entries(propertiesOf(part)))),
  ];
  const shown = uniqueNames(
    properties.map(([key]) => [key]),
    REFUSED_IN_KEYS,
  );
  const keys = new Map(properties.map(([key], index) => [shown[index] ?? key, key]));
  const renamed = new Map([...keys].map(([name, key]) => [key, name]));
  const needed = Array.isArray(required) ? required.map((key) => renamed.get(String(key)) ?? key) : [];
  const schema = {
    ...(current(rest) as JsonObject),
    type: "object",
    properties: Object.fromEntries(
      properties.map(([key, value]) => [renamed.get(key) ?? key, current(value)]),
    ),
    ...(needed.length > 0 && { required: needed }),
  };
  return { schema, keys };
}

/** Draft 2020-12, which the API checks schemas by. What older drafts say otherwise and has no form there is left out. */
function current(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).map(current);
  if (!isObject(schema)) return schema;
  const { items } = schema;
  const entries = Object.entries(schema).flatMap(
    ([key, value]): readonly (readonly [string, JsonValue])[] => {
      if (VALUES.has(key)) return [[key, value]];
      if (MAPS.has(key) && isObject(value))
        return [
          [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, current(part)]))],
        ];
      if (key === "items" && Array.isArray(value)) return [["prefixItems", current(value)]];
      if (key === "additionalItems") return Array.isArray(items) ? [["items", current(value)]] : [];
      if (key.startsWith("exclusive") && typeof value === "boolean") return [];
      return [[key, current(value)]];
    },
  );
  return Object.fromEntries(entries);
}

function propertiesOf(schema: JsonValue): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
