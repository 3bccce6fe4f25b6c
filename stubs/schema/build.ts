// Owns the way from a degraded schema to a type tree.
import type { DegradedSchema } from "../../contract/schema/degrade.ts";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { Definitions } from "./definitions.ts";
import { docOf } from "./doc.ts";
import { intersect } from "./intersect.ts";
import { literalUnion, typeSetOf, type TypeName } from "./literals.ts";
import {
  EMPTY_OBJECT,
  NEVER,
  OPEN_OBJECT,
  UNKNOWN,
  VAGUE_OBJECT,
  unionOf,
  type DefinitionNode,
  type ObjectNode,
  type PropertyNode,
  type SchemaType,
  type TypeNode,
} from "./type-tree.ts";

/** Bounds of one tool's type; what lies beyond becomes `unknown`, with a note. */
export interface TypeLimits {
  readonly nodes: number;
  readonly depth: number;
  /** Alternatives that one intersection may multiply out to. */
  readonly product: number;
  /** Enum members before the base type stands for them. */
  readonly literals: number;
}

export const TYPE_LIMITS: TypeLimits = { nodes: 2_000, depth: 40, product: 64, literals: 200 };

const TOO_LARGE = "A part of the type is too large or too deep to show: it is unknown.";
const MOST_REQUIRED = 500;
const LONGEST_TUPLE = 32;
const PROTOTYPE_MEMBERS: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * The type of the values a schema accepts. Wider than the schema where TypeScript cannot say more, narrower
 * in one way only: an object that does not mention `additionalProperties` refuses unknown keys.
 * `root: "object"` is for tool arguments, which are always objects.
 */
export function buildType(
  degraded: DegradedSchema,
  options: {
    readonly root: "object" | "any";
    /** The name of the type when it refers to itself. */
    readonly rootName: string;
    /** Names that definitions may not take. */
    readonly taken?: ReadonlySet<string>;
    readonly limits?: TypeLimits;
  },
): SchemaType {
  const definitions = new Definitions(degraded.schema, options.rootName, options.taken ?? new Set());
  const builder = new Builder(degraded.schema, options.limits ?? TYPE_LIMITS, definitions);
  return builder.run(options.root === "object" ? new Set<TypeName>(["object"]) : undefined);
}

type Allowed = ReadonlySet<TypeName> | undefined;

/** A part of a type: `type` absent when it says nothing; `open` when keys it does not list may be meant. */
interface Part {
  readonly type?: TypeNode;
  readonly open?: boolean;
}

class Builder {
  readonly #root: JsonObject;
  readonly #limits: TypeLimits;
  readonly #definitions: Definitions;
  readonly #notes = new Set<string>();
  #nodes = 0;

  constructor(root: JsonObject, limits: TypeLimits, definitions: Definitions) {
    this.#root = root;
    this.#limits = limits;
    this.#definitions = definitions;
  }

  run(allowed: Allowed): SchemaType {
    const part = this.#part(this.#root, allowed, 0);
    let type = part.type ?? (allowed === undefined ? UNKNOWN : OPEN_OBJECT);
    if (type.kind === "never" && allowed !== undefined) {
      this.#notes.add("No object is accepted, so any object is shown.");
      type = OPEN_OBJECT;
    }
    const definitions: DefinitionNode[] = [];
    // The list grows while definitions mention others.
    for (let next = this.#definitions.next(); next !== undefined; next = this.#definitions.next()) {
      const built = this.#type(next.schema, next.pointer === "#" ? allowed : undefined, 1);
      const doc = next.pointer === "#" ? undefined : docOf(next.schema);
      definitions.push({ name: next.name, type: built, ...(doc === undefined ? {} : { doc }) });
    }
    return { type, definitions, notes: [...this.#notes] };
  }

  #type(schema: JsonValue, allowed: Allowed, depth: number): TypeNode {
    if (schema === false) return NEVER;
    if (!isJsonObject(schema)) return UNKNOWN;
    return (
      this.#part(schema, allowed, depth).type ?? (allowed === undefined ? UNKNOWN : this.#plain(allowed))
    );
  }

  #plain(allowed: ReadonlySet<TypeName>): TypeNode {
    return unionOf([...allowed].map((name) => this.#named(name, {}, 0)));
  }

  #part(schema: JsonObject, allowed: Allowed, depth: number): Part {
    this.#nodes += 1;
    if (this.#nodes > this.#limits.nodes || depth > this.#limits.depth) {
      this.#notes.add(TOO_LARGE);
      return { type: UNKNOWN, open: true };
    }
    const types = typeSetOf(schema, allowed);
    const parts: Part[] = [this.#own(schema, types, depth)];
    const pushed = types ?? allowed;
    const target = own(schema, "$ref");
    if (typeof target === "string") parts.push(this.#reference(target, pushed, depth));
    for (const member of list(schema, "allOf")) parts.push(this.#branch(member, pushed, depth));
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = list(schema, keyword);
      const beside = parts.some(({ type }) => type !== undefined);
      if (branches.length > 0) parts.push(this.#alternatives(branches, pushed, depth, beside));
    }
    const part = this.#combine(parts, schema);
    // When all composition turns out to say nothing, the type itself still stands.
    if (part.type !== undefined || types === undefined || !Object.hasOwn(schema, "type")) return part;
    return { ...part, type: this.#plain(types) };
  }

  #combine(parts: readonly Part[], schema: JsonObject): Part {
    const unevaluated = own(schema, "unevaluatedProperties");
    const open =
      parts.some((part) => part.open === true) || (unevaluated !== undefined && unevaluated !== false);
    const types = parts.flatMap((part) => (part.type === undefined ? [] : [part.type]));
    if (types.length === 0) return { open };
    const type = intersect(types, { open, product: this.#limits.product, widths: this.#definitions.widths });
    if (type.clipped) this.#notes.add("Alternatives multiply out to too many: some are not shown.");
    return { type: type.node, open: open || type.clipped };
  }

  /** What the schema says by itself, without references and composition. */
  #own(schema: JsonObject, types: Allowed, depth: number): Part {
    const values = own(schema, "enum");
    const constant = own(schema, "const") as JsonValue | undefined;
    if (Array.isArray(values) || constant !== undefined) {
      const literals = literalUnion(schema, types, this.#limits.literals);
      if (literals.widened)
        this.#notes.add("A list of allowed values is too long to show: its base type is shown.");
      return { type: literals.type };
    }
    if (types === undefined || !saysSomething(schema, types)) return {};
    return { type: unionOf([...types].map((name) => this.#named(name, schema, depth))) };
  }

  #named(name: TypeName, schema: JsonObject, depth: number): TypeNode {
    if (name === "object") return this.#object(schema, depth);
    if (name === "array") return this.#array(schema, depth);
    return { kind: "primitive", name: name === "integer" ? "number" : name };
  }

  #branch(schema: JsonValue, allowed: Allowed, depth: number): Part {
    if (schema === false) return { type: NEVER };
    if (!isJsonObject(schema)) return { open: true };
    return this.#part(schema, allowed, depth);
  }

  #alternatives(branches: readonly JsonValue[], allowed: Allowed, depth: number, beside: boolean): Part {
    const parts = branches.map((branch) =>
      isJsonObject(branch) && onlyRequires(branch) ? {} : this.#branch(branch, allowed, depth),
    );
    const open = parts.some((part) => part.open === true);
    const said = parts.flatMap((part) => (part.type === undefined ? [] : [part.type]));
    if (said.length === 0) return { open };
    if (said.length === parts.length) return { type: unionOf(said), open };
    // A branch that says nothing accepts everything its parent does, yet keys of the others may be given.
    if (allowed === undefined) return { type: UNKNOWN, open: true };
    if (beside && allowed.size === 1 && allowed.has("object")) {
      return { type: unionOf([...said, EMPTY_OBJECT]), open };
    }
    return { type: unionOf([...said, this.#plain(allowed)]), open: true };
  }

  #reference(pointer: string, allowed: Allowed, depth: number): Part {
    const found = this.#definitions.find(pointer);
    if (found === undefined) return { open: true };
    if (found.kind === "named") return { type: { kind: "reference", name: found.name } };
    const schema = found.schema;
    return this.#part(schema, own(schema, "type") === undefined ? allowed : undefined, depth + 1);
  }

  #object(schema: JsonObject, depth: number): ObjectNode {
    const properties = new Map<string, PropertyNode>();
    const names = list(schema, "required") as readonly string[];
    const required = new Set(names.slice(0, MOST_REQUIRED));
    if (names.length > MOST_REQUIRED) this.#notes.add(TOO_LARGE);
    for (const [name, property] of entries(schema, "properties")) {
      if (this.#nodes >= this.#limits.nodes) {
        this.#notes.add(TOO_LARGE);
        return { kind: "object", properties: [...properties.values()], index: UNKNOWN };
      }
      const optional = !required.has(name);
      // An optional member of Object.prototype is inherited by every literal that leaves it out.
      const inherited = optional && PROTOTYPE_MEMBERS.has(name);
      const type = inherited ? UNKNOWN : this.#type(property, undefined, depth + 1);
      const doc = docOf(property) ?? docOf(this.#definitions.inlined(property));
      properties.set(name, { name, optional, type, ...(doc === undefined ? {} : { doc }) });
    }
    for (const name of required) {
      if (!properties.has(name)) properties.set(name, { name, optional: false, type: UNKNOWN });
    }
    for (const name of conditionalNames(schema)) {
      if (!properties.has(name)) properties.set(name, { name, optional: true, type: UNKNOWN });
    }
    if (properties.size === 0 && OTHER_KEYS.every((keyword) => !Object.hasOwn(schema, keyword)))
      return VAGUE_OBJECT;
    const index = this.#index(schema, properties.size, depth);
    return {
      kind: "object",
      properties: [...properties.values()],
      ...(index === undefined ? {} : { index }),
    };
  }

  #index(schema: JsonObject, named: number, depth: number): TypeNode | undefined {
    const patterns = entries(schema, "patternProperties").map(([, member]) => member);
    const additional = own(schema, "additionalProperties") as JsonValue | undefined;
    const others = additional ?? (patterns.length > 0 ? true : undefined);
    // An object that lists keys and does not mention others is taken to be complete.
    if (others === undefined) return undefined;
    if (others === false && patterns.length === 0) return named === 0 ? NEVER : undefined;
    // A typed index signature would also have to accept the listed properties.
    if (named > 0) return UNKNOWN;
    const members = [...patterns, ...(others === false ? [] : [others])];
    return unionOf(members.map((member) => this.#type(member, undefined, depth + 1)));
  }

  #array(schema: JsonObject, depth: number): TypeNode {
    const items = own(schema, "items") as JsonValue | undefined;
    const prefix = Array.isArray(items) ? items : list(schema, "prefixItems");
    const rest = Array.isArray(items) ? (own(schema, "additionalItems") as JsonValue | undefined) : items;
    const element = (member: JsonValue | undefined): TypeNode =>
      member === undefined ? UNKNOWN : this.#type(member, undefined, depth + 1);
    if (prefix.length === 0) {
      if (rest === false) return { kind: "tuple", items: [], min: 0 };
      return { kind: "array", items: element(rest) };
    }
    if (prefix.length > LONGEST_TUPLE) this.#notes.add(TOO_LARGE);
    const shown = prefix.slice(0, LONGEST_TUPLE) as readonly JsonValue[];
    const min = Math.min(Number(own(schema, "minItems") ?? 0), shown.length);
    const max = Number(own(schema, "maxItems") ?? Infinity);
    const closed = shown.length === prefix.length && (rest === false || max <= prefix.length);
    const members = shown.slice(0, max).map(element);
    return {
      kind: "tuple",
      items: members,
      min,
      ...(closed ? {} : { rest: rest === false ? UNKNOWN : element(rest) }),
    };
  }
}

function list(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = own(schema, keyword);
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function entries(schema: JsonObject, keyword: string): readonly (readonly [string, JsonValue])[] {
  const value = own(schema, keyword);
  return isJsonObject(value) ? Object.entries(value) : [];
}

const ARRAY_KEYWORDS = ["items", "prefixItems"];
const OTHER_KEYS = ["additionalProperties", "patternProperties"];
const OBJECT_KEYWORDS = ["properties", "required", "additionalProperties", "patternProperties"];

/** Whether a schema narrows, beside its references and composition, what its types already say. */
function saysSomething(schema: JsonObject, types: ReadonlySet<TypeName>): boolean {
  const has = (keyword: string): boolean => Object.hasOwn(schema, keyword);
  const structured =
    (types.has("object") && OBJECT_KEYWORDS.some(has)) || (types.has("array") && ARRAY_KEYWORDS.some(has));
  return structured || (has("type") && !["$ref", "allOf", "anyOf", "oneOf"].some(has));
}

const REQUIRES_ONLY: ReadonlySet<string> = new Set(["required", "not", "title", "description", "type"]);

function onlyRequires(schema: JsonObject): boolean {
  return (
    Object.keys(schema).every((keyword) => REQUIRES_ONLY.has(keyword)) && Object.hasOwn(schema, "required")
  );
}

/** Names that only `then`, `else` and dependent schemas list: they may be given as well. */
function conditionalNames(schema: JsonObject): Set<string> {
  const names = new Set<string>();
  const holders = [own(schema, "then"), own(schema, "else")].filter(isJsonObject);
  holders.push(
    ...entries(schema, "dependentSchemas")
      .map(([, member]) => member)
      .filter(isJsonObject),
  );
  for (const holder of holders) for (const [name] of entries(holder, "properties")) names.add(name);
  return names;
}
