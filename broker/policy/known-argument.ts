// Owns the question whether a tool's schema knows an argument path.
import { canonicalJson, isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { degradeInputSchema } from "../../contract/schema/degrade.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { ArgumentPath } from "./argument-path.ts";

const MAX_STEPS = 2_000;

/**
 * False only when the schema lists properties and the path is not among them. A schema that says nothing about an
 * object knows every path in it.
 */
export function knowsArgument(tool: ToolDefinition, path: ArgumentPath): boolean {
  const found = placesOf(tool, path);
  return found === "any" || found.length > 0;
}

/** False only when the schema lists the values or types of the argument, and this one is not among them. */
export function canBe(tool: ToolDefinition, path: ArgumentPath, value: JsonValue): boolean {
  const found = placesOf(tool, path);
  return found === "any" || found.length === 0 || found.some((place) => permits(place, value));
}

function permits(place: JsonObject, value: JsonValue): boolean {
  const listed = own(place, "enum");
  const values = Object.hasOwn(place, "const") ? [own(place, "const")] : Array.isArray(listed) ? listed : [];
  if (values.length > 0)
    return (values as JsonValue[]).some((one) => canonicalJson(one) === canonicalJson(value));
  const types = [own(place, "type") ?? []].flat();
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return types.length === 0 || types.includes(type) || (type === "number" && types.includes("integer"));
}

/** Every schema that the argument may have to meet; "any" where there is none. */
function placesOf(tool: ToolDefinition, path: ArgumentPath): readonly JsonObject[] | "any" {
  const root = degradeInputSchema(tool.inputSchema).schema;
  let places = expand([root], root);
  for (const segment of path.segments) {
    const next: JsonValue[] = [];
    for (const place of places) {
      if (isOpen(place)) return "any";
      next.push(...(segment === "every" ? members(place) : named(place, segment.name)));
    }
    if (next.includes(true)) return "any";
    places = expand(next, root);
    if (places.length === 0) return [];
  }
  return places;
}

/** Names of the top-level arguments, for suggestions. */
export function argumentNames(tool: ToolDefinition): string[] {
  const root = degradeInputSchema(tool.inputSchema).schema;
  return expand([root], root).flatMap((place) => Object.keys(object(own(place, "properties"))));
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isOpen(place: JsonObject): boolean {
  const says = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "type",
    "enum",
    "const",
  ];
  return !says.some((keyword) => Object.hasOwn(place, keyword));
}

function named(place: JsonObject, name: string): JsonValue[] {
  const properties = object(own(place, "properties"));
  if (Object.hasOwn(properties, name)) return [properties[name]!];
  if (Object.hasOwn(place, "patternProperties")) return [true];
  const rest = own(place, "additionalProperties");
  if (rest === true || isJsonObject(rest)) return [rest];
  // An object without a list of properties takes any.
  const isBareObject =
    own(place, "type") === "object" && rest === undefined && !Object.hasOwn(place, "properties");
  return isBareObject ? [true] : [];
}

function members(place: JsonObject): JsonValue[] {
  const items = own(place, "items");
  const all = [items, own(place, "prefixItems"), own(place, "additionalProperties")].flat();
  const schemas = [...all, ...Object.values(object(own(place, "properties")))] as (JsonValue | undefined)[];
  const found = schemas.filter((schema) => schema === true || isJsonObject(schema)) as JsonValue[];
  return found.length === 0 && [own(place, "type")].flat().includes("array") ? [true] : found;
}

// A schema together with everything that applies to the same value: references and compositions.
function expand(schemas: readonly JsonValue[], root: JsonObject): JsonObject[] {
  const seen = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined && seen.size < MAX_STEPS; next = waiting.pop()) {
    if (!isJsonObject(next) || seen.has(next)) continue;
    seen.add(next);
    const ref = own(next, "$ref");
    const target = typeof ref === "string" ? follow(ref, root) : undefined;
    if (target !== undefined) waiting.push(target);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const parts = own(next, keyword);
      if (Array.isArray(parts)) waiting.push(...(parts as JsonValue[]));
    }
  }
  // A schema that only points or composes says nothing itself.
  return [...seen].filter(
    (schema) => !isOpen(schema) || !["$ref", "allOf", "anyOf", "oneOf"].some((k) => k in schema),
  );
}

function follow(ref: string, root: JsonObject): JsonValue | undefined {
  let part: unknown = root;
  for (const segment of ref.split("/").slice(1)) {
    if (typeof part !== "object" || part === null) return undefined;
    part = own(part, decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return part as JsonValue | undefined;
}
