// Owns values made from a schema: some it accepts, some it refuses, each confirmed by a validator.
import { Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";

export interface Literals {
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly { readonly kind: string; readonly value: JsonValue }[];
}

const STRINGS = [
  "text",
  "a-b",
  "AB-1",
  "7",
  "e12",
  "1:2",
  "us",
  "x.png",
  "a@b.io",
  "2026-01-02T03:04:05Z",
  "2026-01-02",
  "123e4567-e89b-42d3-a456-426614174000",
  "https://example.com/x",
  "127.0.0.1",
  "long enough for most lower bounds of a text, and then some more of it, to be sure",
];
const NUMBERS = [1, 0, 2, 10, 0.5, 100, 1_000, 100_000, -1, 1_700_000_000];

/** Makes literals of a schema: a few per property. Properties in `seen` are left as they are, and added to it. */
export function literalsOf(schema: JsonObject, seen: Set<string> = new Set(), budget = 5_000): Literals {
  return new Maker(schema, seen, budget).run();
}

class Maker {
  readonly #root: JsonObject;
  readonly #validator: Validator;
  readonly #draft: SchemaDraft;

  readonly #seen: Set<string>;
  /** Schemas looked at, so that recursive ones end. */
  #budget: number;

  constructor(root: JsonObject, seen: Set<string>, budget: number) {
    this.#budget = budget;
    this.#root = root;
    this.#seen = seen;
    const uri = JSON.stringify(own(root, "$schema") ?? "");
    this.#draft = uri.includes("draft-04") ? "4" : uri.includes("draft-07") ? "7" : "2020-12";
    this.#validator = new Validator(structuredClone(root) as Schema, this.#draft, true);
  }

  run(): Literals {
    const accepts = (value: JsonValue): boolean =>
      isJsonObject(value) && this.#validator.validate(value).valid;
    const made = [
      this.#make(this.#root, 0, "all"),
      this.#make(this.#root, 0, "required"),
      ...this.#variants(this.#root),
    ].filter(isJsonObject);
    const valid = distinct(made.filter(accepts));
    const base = valid[0] as JsonObject | undefined;
    if (base === undefined) return { valid, invalid: [] };
    const invalid = [...this.#broken(this.#root, base)].filter(({ value }) => !accepts(value));
    for (const property of entries(this.#root, "properties")) this.#seen.add(JSON.stringify(property));
    return { valid, invalid };
  }

  #target(schema: JsonValue): JsonObject {
    let at = schema;
    for (let hops = 0; hops < 10 && isJsonObject(at); hops += 1) {
      const ref = own(at, "$ref");
      if (typeof ref !== "string" || !ref.startsWith("#")) return at;
      let next: unknown = this.#root;
      for (const segment of decodeURIComponent(ref).split("/").slice(1)) {
        next = own(next as object, segment.replaceAll("~1", "/").replaceAll("~0", "~"));
      }
      at = (next ?? {}) as JsonValue;
    }
    return isJsonObject(at) ? at : {};
  }

  #make(source: JsonValue, depth: number, extent: "all" | "required"): JsonValue | undefined {
    if (source === false) return undefined;
    const schema = this.#target(source);
    for (const candidate of this.#candidates(schema, depth, extent)) {
      if (candidate !== undefined && this.#check(source, candidate)) return candidate;
    }
    return undefined;
  }

  /** Whether a part of the document accepts a value. */
  #check(schema: JsonValue, value: JsonValue): boolean {
    if (!isJsonObject(schema)) return schema !== false;
    const definitions = ["$defs", "definitions", "$schema"].filter((key) => Object.hasOwn(this.#root, key));
    const part = { ...Object.fromEntries(definitions.map((key) => [key, this.#root[key]])), ...schema };
    if (JSON.stringify(schema).includes('"#/properties')) return true;
    try {
      return new Validator(structuredClone(part) as Schema, this.#draft, true).validate(value).valid;
    } catch {
      return true;
    }
  }

  *#candidates(
    schema: JsonObject,
    depth: number,
    extent: "all" | "required",
  ): Iterable<JsonValue | undefined> {
    this.#budget -= 1;
    if (depth > 8 || this.#budget < 0) return;
    if (own(schema, "const") !== undefined) yield own(schema, "const") as JsonValue;
    const values = own(schema, "enum");
    if (Array.isArray(values)) yield* values as JsonValue[];
    for (const keyword of ["anyOf", "oneOf"]) {
      for (const branch of list(schema, keyword)) {
        const merged = merge(schema, this.#target(branch), keyword);
        yield* this.#candidates(merged, depth + 1, extent);
      }
    }
    const parts = list(schema, "allOf");
    if (parts.length > 0) {
      const merged = parts.reduce<JsonObject>(
        (whole, part) => merge(whole, this.#target(part), "allOf"),
        schema,
      );
      yield* this.#candidates(merged, depth + 1, extent);
      return;
    }
    const type = own(schema, "type");
    const types = Array.isArray(type)
      ? (type as string[])
      : [typeof type === "string" ? type : guess(schema)];
    for (const name of types) yield* this.#ofType(name, schema, depth, extent);
  }

  *#ofType(
    name: string,
    schema: JsonObject,
    depth: number,
    extent: "all" | "required",
  ): Iterable<JsonValue | undefined> {
    if (name === "string") yield* STRINGS;
    else if (name === "number") yield* NUMBERS;
    else if (name === "integer") yield* NUMBERS.filter(Number.isInteger);
    else if (name === "boolean") yield* [true, false];
    else if (name === "null") yield null;
    else if (name === "array") yield* this.#arrays(schema, depth, extent);
    else if (name === "object") {
      yield this.#object(schema, depth, extent);
      yield this.#object(schema, depth, extent === "all" ? "required" : "all");
    } else yield "anything";
  }

  *#arrays(schema: JsonObject, depth: number, extent: "all" | "required"): Iterable<JsonValue | undefined> {
    const items = own(schema, "items") as JsonValue | undefined;
    const prefix = Array.isArray(items) ? (items as JsonValue[]) : list(schema, "prefixItems");
    if (prefix.length > 0) {
      yield prefix.map((item) => this.#make(item, depth + 1, extent) ?? null);
      return;
    }
    const item = items === undefined || Array.isArray(items) ? "x" : this.#make(items, depth + 1, extent);
    const least = Number(own(schema, "minItems") ?? 0);
    if (depth > 6 || item === undefined) yield [];
    else yield Array.from({ length: Math.max(1, least) }, () => item);
    yield [];
  }

  #object(schema: JsonObject, depth: number, extent: "all" | "required"): JsonObject | undefined {
    const required = new Set(list(schema, "required") as readonly string[]);
    const value: Record<string, JsonValue> = {};
    for (const [name, property] of entries(schema, "properties")) {
      if (!required.has(name) && (extent === "required" || depth > 5)) continue;
      const made = this.#make(property, depth + 1, extent);
      if (made === undefined && required.has(name)) return undefined;
      if (made !== undefined) set(value, name, made);
    }
    for (const name of required) if (!Object.hasOwn(value, name)) set(value, name, "given");
    const additional = own(schema, "additionalProperties");
    if (entries(schema, "properties").length === 0 && isJsonObject(additional)) {
      const made = this.#make(additional, depth + 1, extent);
      if (made !== undefined) value["key"] = made;
    }
    return value;
  }

  /** The full value again, with other choices for its top-level properties. */
  *#variants(root: JsonObject): Iterable<JsonValue | undefined> {
    for (const keyword of ["anyOf", "oneOf"]) {
      for (const branch of list(root, keyword)) {
        const merged = merge(root, this.#target(branch), keyword);
        yield this.#object(merged, 0, "all");
        yield this.#object(merged, 0, "required");
      }
    }
    const base = this.#make(root, 0, "all");
    if (!isJsonObject(base)) return;
    for (const [name, property] of entries(root, "properties")) {
      if (this.#seen.has(JSON.stringify([name, property]))) continue;
      let count = 0;
      for (const candidate of this.#candidates(this.#target(property), 1, "required")) {
        if (candidate === undefined || !this.#check(property, candidate)) continue;
        const value = { ...base };
        set(value, name, candidate);
        yield value;
        count += 1;
        if (count >= 2) break;
      }
    }
  }

  /** False for what only a run-time check can refuse: a number that is no integer, a text that is too short. */
  #typeCanTell(schema: JsonObject, wrong: JsonValue): boolean {
    if (["enum", "const"].some((keyword) => Object.hasOwn(schema, keyword))) return true;
    const type = own(schema, "type");
    const types = Array.isArray(type) ? (type as readonly string[]) : [type];
    if (typeof wrong === "number") return !types.includes("number") && !types.includes("integer");
    return wrong === null || !types.includes(typeof wrong);
  }

  /** Breaks a valid value in the ways a type can notice: a key less, a wrong type, a value not listed, a key more. */
  *#broken(source: JsonValue, value: JsonObject): Iterable<{ kind: string; value: JsonValue }> {
    const schema = this.#target(source);
    const required = new Set(list(schema, "required") as readonly string[]);
    const properties = new Map(entries(schema, "properties"));
    for (const name of required) {
      const property = this.#target(properties.get(name) ?? true);
      if (!Object.hasOwn(value, name) || own(property, "default") !== undefined) continue;
      const rest = { ...value };
      delete rest[name];
      yield { kind: "required", value: rest };
    }
    for (const [name, property] of properties) {
      if (this.#seen.has(JSON.stringify([name, property]))) continue;
      const target = this.#target(property);
      const typed = ["type", "enum", "const"].some((keyword) => Object.hasOwn(target, keyword));
      if (!typed || Object.hasOwn(Object.prototype, name)) continue;
      let count = 0;
      for (const wrong of ["no such value", { nothing: true }, 7.25, null]) {
        if (this.#check(property, wrong) || !this.#typeCanTell(target, wrong)) continue;
        const changed = { ...value };
        set(changed, name, wrong);
        yield { kind: "type", value: changed };
        count += 1;
        if (count >= 2) break;
      }
    }
    if (own(schema, "additionalProperties") === false && entries(schema, "patternProperties").length === 0) {
      yield { kind: "unknown-key", value: { ...value, surelyNotAKey: 1 } };
    }
  }
}

function merge(whole: JsonObject, part: JsonObject, keyword: string): JsonObject {
  const rest = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== keyword));
  return {
    ...rest,
    ...part,
    properties: { ...(own(whole, "properties") as JsonObject), ...(own(part, "properties") as JsonObject) },
    required: [...list(whole, "required"), ...list(part, "required")],
  };
}

function guess(schema: JsonObject): string {
  if (["properties", "required", "additionalProperties"].some((key) => Object.hasOwn(schema, key)))
    return "object";
  return ["items", "prefixItems"].some((key) => Object.hasOwn(schema, key)) ? "array" : "any";
}

function list(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = own(schema, keyword);
  return Array.isArray(value) ? (value as JsonValue[]) : [];
}

function entries(schema: JsonObject, keyword: string): readonly [string, JsonValue][] {
  const value = own(schema, keyword);
  return isJsonObject(value) ? Object.entries(value) : [];
}

function set(target: object, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
