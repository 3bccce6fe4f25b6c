// Owns the value that stands for a result which does not exist: the shape of an outputSchema, with nothing in it.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../contract/json.ts";

const MAX_DEPTH = 12;
/** Below this only required properties are there, so that a type that contains itself ends. */
const WHOLE_DEPTH = 4;
const MAX_VALUES = 500;
const MAX_GIVEN_UNITS = 2_000;
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "1970-01-01T00:00:00Z",
  date: "1970-01-01",
  time: "00:00:00Z",
  email: "planned@example.invalid",
  uri: "https://example.invalid/",
  url: "https://example.invalid/",
  uuid: "00000000-0000-0000-0000-000000000000",
};

/**
 * A value in the shape of `schema`: the first constant it names, else `text` for strings, the least number, false, empty
 * lists, objects with their properties. Null without a schema, and where a schema says nothing that can be followed.
 */
export function placeholderFor(schema: JsonObject | undefined, text: string): JsonValue {
  return schema === undefined ? null : new Maker(schema, text).value(schema, 0);
}

class Maker {
  readonly #root: JsonObject;
  readonly #text: string;
  #left: number = MAX_VALUES;

  constructor(root: JsonObject, text: string) {
    this.#root = root;
    this.#text = text;
  }

  value(schema: unknown, depth: number): JsonValue {
    if (!isJsonObject(schema) || depth > MAX_DEPTH || (this.#left -= 1) < 0) return null;
    const given = firstGiven(schema);
    if (given !== undefined) return given;
    const ref = own(schema, "$ref");
    if (typeof ref === "string") return this.value(this.#at(ref), depth + 1);
    for (const key of ["anyOf", "oneOf"]) {
      const members = own(schema, key);
      if (!Array.isArray(members)) continue;
      const one: unknown = members.find((member) => typeOf(member) !== "null") ?? members[0];
      return this.value(one, depth + 1);
    }
    const parts = own(schema, "allOf");
    const whole = this.#plain(schema, depth);
    if (!Array.isArray(parts)) return whole;
    const values = [whole, ...parts.map((part) => this.value(part, depth + 1))].filter((one) => one !== null);
    if (values.every(isJsonObject)) return joined(values.flatMap((one) => Object.entries(one)));
    return values[0] ?? null;
  }

  #plain(schema: JsonObject, depth: number): JsonValue {
    switch (typeOf(schema)) {
      case "string":
        return this.#string(schema);
      case "integer":
      case "number":
        return least(schema);
      case "boolean":
        return false;
      case "array":
        return Number(own(schema, "minItems")) > 0 ? [this.value(own(schema, "items"), depth + 1)] : [];
      case "object":
        return this.#object(schema, depth);
      default:
        return null;
    }
  }

  #string(schema: JsonObject): string {
    const format = own(schema, "format");
    if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return FORMATS[format] as string;
    const longest = own(schema, "maxLength");
    return typeof longest === "number" ? this.#text.slice(0, Math.max(0, longest)) : this.#text;
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = own(schema, "properties");
    const required = own(schema, "required");
    const needed = new Set(
      Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
    );
    const known = isJsonObject(properties) ? properties : {};
    const names = depth < WHOLE_DEPTH ? new Set([...Object.keys(known), ...needed]) : needed;
    return joined(
      [...names].slice(0, this.#left).map((name) => [name, this.value(own(known, name), depth + 1)]),
    );
  }

  /** Only inside the schema itself. */
  #at(ref: string): unknown {
    if (ref !== "#" && !ref.startsWith("#/")) return undefined;
    let found: unknown = this.#root;
    for (const part of ref.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      found = typeof found === "object" && found !== null ? own(found, name) : undefined;
    }
    return found;
  }
}

// Security: a property named __proto__ stays a property.
function joined(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

function firstGiven(schema: JsonObject): JsonValue | undefined {
  const lists = [own(schema, "enum"), own(schema, "examples")];
  const firsts = lists.map((list) => (Array.isArray(list) ? (list[0] as JsonValue | undefined) : undefined));
  const given = [
    own(schema, "const") as JsonValue | undefined,
    own(schema, "default") as JsonValue,
    ...firsts,
  ];
  return given.find((one) => one !== undefined && JSON.stringify(one).length <= MAX_GIVEN_UNITS);
}

function typeOf(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const type = own(schema, "type");
  const first: unknown = Array.isArray(type) ? (type.find((one) => one !== "null") ?? type[0]) : type;
  if (typeof first === "string") return first;
  return own(schema, "properties") === undefined ? undefined : "object";
}

function least(schema: JsonObject): number {
  const [minimum, above] = [own(schema, "minimum"), own(schema, "exclusiveMinimum")];
  if (typeof above === "number") return Math.floor(above) + 1;
  return typeof minimum === "number" ? Math.ceil(minimum) : 0;
}
