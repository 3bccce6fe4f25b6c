// Owns which JSON types a schema allows, and the types of its listed values.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { NEVER, OPEN_OBJECT, UNKNOWN, unionOf, type TypeNode } from "./type-tree.ts";

export type TypeName = "null" | "boolean" | "object" | "array" | "number" | "integer" | "string";

const LONGEST_LITERAL = 200;
const OBJECT_HINTS = ["properties", "required", "additionalProperties", "patternProperties"];
const ARRAY_HINTS = ["items", "prefixItems"];

/**
 * The types a schema allows: its own, within those its parent allows. Without any, object keywords mean
 * an object and item keywords an array, as their authors do.
 */
export function typeSetOf(
  schema: JsonObject,
  allowed: ReadonlySet<TypeName> | undefined,
): ReadonlySet<TypeName> | undefined {
  const value = own(schema, "type");
  const names = (Array.isArray(value) ? value : value === undefined ? [] : [value]) as readonly TypeName[];
  if (names.length > 0) {
    const kept = names.filter((name) => allowed === undefined || allows(allowed, name));
    return new Set(kept);
  }
  if (allowed !== undefined) return allowed;
  if (OBJECT_HINTS.some((keyword) => Object.hasOwn(schema, keyword))) return new Set<TypeName>(["object"]);
  if (ARRAY_HINTS.some((keyword) => Object.hasOwn(schema, keyword))) return new Set<TypeName>(["array"]);
  return undefined;
}

function allows(allowed: ReadonlySet<TypeName>, name: TypeName): boolean {
  if (name === "integer") return allowed.has("integer") || allowed.has("number");
  return allowed.has(name) || (name === "number" && allowed.has("integer"));
}

function typeOf(value: JsonValue): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const name = typeof value as "boolean" | "number" | "string" | "object";
  return name === "number" && Number.isInteger(value) ? "integer" : name;
}

/** The union of the listed values that the types allow; their base types when there are too many. */
export function literalUnion(
  schema: JsonObject,
  types: ReadonlySet<TypeName> | undefined,
  most: number,
): { readonly type: TypeNode; readonly widened: boolean } {
  const constant = own(schema, "const") as JsonValue | undefined;
  const listed = (own(schema, "enum") as readonly JsonValue[] | undefined) ?? [constant as JsonValue];
  const values = listed.filter((value) => {
    if (types !== undefined && !types.has(typeOf(value))) {
      if (!(typeOf(value) === "integer" && types.has("number"))) return false;
    }
    // Both keywords: a value has to be in the list and be the constant. Structures are not compared.
    return (
      constant === undefined || typeof constant === "object" || value === constant || isJsonObject(value)
    );
  });
  if (values.length === 0) return { type: NEVER, widened: false };
  const widened = values.length > most;
  return { type: unionOf(values.map((value) => literalType(value, widened))), widened };
}

function literalType(value: JsonValue, widened: boolean): TypeNode {
  if (value === null) return { kind: "primitive", name: "null" };
  if (Array.isArray(value)) return { kind: "array", items: UNKNOWN };
  if (isJsonObject(value)) return OPEN_OBJECT;
  const plain = value as string | number | boolean;
  const name = typeof plain as "string" | "number" | "boolean";
  const printable =
    typeof plain === "string" ? plain.length <= LONGEST_LITERAL : Number.isFinite(Number(plain));
  return widened || !printable ? { kind: "primitive", name } : { kind: "literal", value: plain };
}
