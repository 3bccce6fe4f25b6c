// Owns the copy of a schema keyword by keyword: what is well formed is kept, the rest is noted and left out.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { ANNOTATIONS, DEFINITIONS, IN_PLACE, KEYWORDS, TYPES, type Dialect } from "./keywords.ts";
import { patternGuard } from "./pattern.ts";
import { printable, quoted } from "./printable.ts";

const MAX_SCHEMAS = 20_000;
const MAX_DEPTH = 200;
const MAX_PATTERNS = 100;
const MAX_NOTES = 24;
const MAX_UNIQUE = 1_000;

/** A schema under construction. */
export type Copy = Record<string, JsonValue>;

/** A `$ref` to be linked once all places are known; `base` is the resource that its pointer starts from. */
export interface Reference {
  readonly copy: Copy;
  readonly text: string;
  readonly base: JsonObject;
  readonly path: string;
}

/** An edge of the graph of copies; `inPlace` when both ends see the same value. */
export interface Edge {
  readonly from: Copy;
  readonly to: Copy;
  readonly inPlace: boolean;
}

interface Spot {
  readonly parent: Copy;
  readonly path: string;
  readonly depth: number;
  readonly base: JsonObject;
}

/** Sets a member; `__proto__` becomes an own member like any other. */
export function put(target: object, key: string, value: JsonValue): void {
  // Security: plain assignment to `__proto__` would set the prototype.
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

export function pointerSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** One pass over one schema; the phases after it share its findings. */
export class SchemaWalk {
  readonly source: JsonObject;
  readonly dialect: Dialect;
  readonly notes: string[] = [];
  readonly references: Reference[] = [];
  readonly edges: Edge[] = [];
  /** Copies that accept more than their source does. */
  readonly inexact: Set<Copy> = new Set();
  /** Copies that lost a pattern of property names: keys it allowed must not fall under `additionalProperties`. */
  readonly opened: Set<Copy> = new Set();
  /** Source schema → where its copy is. */
  readonly places: Map<JsonObject, { readonly path: string; readonly copy: Copy }> = new Map();
  readonly anchors: Map<JsonObject, Map<string, JsonObject>> = new Map();
  readonly #patterns = new Map<string, number | undefined>();
  #schemas = 0;

  constructor(source: JsonObject, dialect: Dialect) {
    this.source = source;
    this.dialect = dialect;
  }

  start(): Copy {
    return this.copy(this.source, { parent: {}, path: "#", depth: 0, base: this.source }) as Copy;
  }

  note(path: string, sentence: string): void {
    if (this.notes.length < MAX_NOTES) this.notes.push(`${printable(path, 120)} ${sentence}.`);
    else if (this.notes.length === MAX_NOTES) this.notes.push("Further notes are left out.");
  }

  /** Copies one schema. What is no schema becomes one that accepts everything. */
  copy(source: JsonValue, spot: Spot): Copy | boolean {
    if (typeof source === "boolean") return source;
    const copy: Copy = {};
    if (!isJsonObject(source)) {
      this.drop(copy, spot.path, "is not a schema, so it accepts anything");
      return copy;
    }
    this.#schemas += 1;
    if (this.#schemas > MAX_SCHEMAS || spot.depth > MAX_DEPTH) {
      this.drop(copy, spot.path, "is beyond the size that is read, so it accepts anything");
      return copy;
    }
    if (!this.places.has(source)) this.places.set(source, { path: spot.path, copy });
    const base = this.#identify(source, spot.base);
    const here: Spot = { parent: copy, path: spot.path, depth: spot.depth + 1, base };
    const ref = own(source, "$ref");
    const referenceIndex = this.references.length;
    if (typeof ref === "string") {
      copy["$ref"] = ref;
      this.references.push({ copy, text: ref, base, path: spot.path });
    } else if (ref !== undefined) {
      this.drop(copy, spot.path, "has a $ref that is not text, ignored");
    }
    for (const dynamic of ["$dynamicRef", "$recursiveRef"]) {
      if (own(source, dynamic) !== undefined) this.drop(copy, spot.path, `uses ${dynamic}, ignored`);
    }
    // Before 2019-09 a $ref stands alone: its siblings do not apply.
    const alone = typeof ref === "string" && (this.dialect === "draft-04" || this.dialect === "draft-07");
    // Guards add to allOf, so the source's own allOf is copied before them.
    const keywords = Object.keys(source).toSorted(
      (left, right) => Number(right === "allOf") - Number(left === "allOf"),
    );
    for (const keyword of keywords) {
      if (alone && !ANNOTATIONS.has(keyword) && !DEFINITIONS.has(keyword)) continue;
      this.#keyword(keyword, source[keyword] as JsonValue, here);
    }
    this.#limits(source, copy, spot.path);
    if (own(source, "nullable") === true && !alone) this.#nullable(copy, referenceIndex);
    return copy;
  }

  /** Records that `copy` accepts more than its source, and why. */
  drop(copy: Copy, path: string, sentence: string): void {
    this.inexact.add(copy);
    this.note(path, sentence);
  }

  #identify(source: JsonObject, base: JsonObject): JsonObject {
    const id = own(source, this.dialect === "draft-04" ? "id" : "$id");
    const resource = typeof id === "string" && !id.startsWith("#") ? source : base;
    const names = [own(source, "$anchor"), own(source, "$dynamicAnchor")];
    if (typeof id === "string" && id.startsWith("#")) names.push(id.slice(1));
    for (const name of names) {
      if (typeof name !== "string") continue;
      const known = this.anchors.get(resource) ?? new Map<string, JsonObject>();
      if (!known.has(name)) known.set(name, source);
      this.anchors.set(resource, known);
    }
    return resource;
  }

  #child(source: JsonValue, key: string, spot: Spot, inPlace: boolean): Copy | boolean {
    const child = this.copy(source, { ...spot, path: `${spot.path}/${key}` });
    if (typeof child === "object") this.edges.push({ from: spot.parent, to: child, inPlace });
    return child;
  }

  #keyword(keyword: string, value: JsonValue, spot: Spot): void {
    const copy = spot.parent;
    if (keyword === "type") return this.#type(value, spot);
    const form = KEYWORDS.get(keyword);
    if (form === undefined || form === "limit") return;
    const inPlace = IN_PLACE.has(keyword);
    const malformed = (): void => this.drop(copy, spot.path, `has a malformed ${keyword}, ignored`);
    switch (form) {
      case "schema":
        // A wrong value of a whole-schema keyword is no statement at all, so the keyword goes.
        if (typeof value !== "boolean" && !isJsonObject(value)) return malformed();
        copy[keyword] = this.#child(value, keyword, spot, inPlace);
        return;
      case "schema-or-schemas":
      case "schemas":
        if (form === "schema-or-schemas" && !Array.isArray(value)) {
          if (typeof value !== "boolean" && !isJsonObject(value)) return malformed();
          copy[keyword] = this.#child(value, keyword, spot, inPlace);
          return;
        }
        if (!Array.isArray(value) || (value.length === 0 && inPlace)) return malformed();
        copy[keyword] = value.map((member, index) =>
          this.#child(member as JsonValue, `${keyword}/${index}`, spot, inPlace),
        );
        return;
      case "schema-map":
      case "dependencies":
        if (!isJsonObject(value)) return malformed();
        if (form === "dependencies") this.#dependencies(value, spot);
        else
          copy[keyword] = {
            ...(copy[keyword] as JsonObject | undefined),
            ...this.#map(keyword, value, spot),
          };
        return;
      case "strings":
        if (!Array.isArray(value)) return malformed();
        copy[keyword] = [...new Set(value.filter((name) => typeof name === "string"))];
        if (value.some((name) => typeof name !== "string")) malformed();
        return;
      case "string-lists":
        if (!isJsonObject(value) || !Object.values(value).every(isStrings)) return malformed();
        copy[keyword] = { ...value, ...(copy[keyword] as JsonObject | undefined) };
        return;
      case "number":
        return typeof value === "number" ? void (copy[keyword] = value) : malformed();
      case "positive":
        return typeof value === "number" && value > 0 ? void (copy[keyword] = value) : malformed();
      case "count":
        return typeof value === "number" && value >= 0 ? void (copy[keyword] = value) : malformed();
      case "flag":
        if (typeof value !== "boolean") return malformed();
        // Security: a validator compares every item with every other one.
        if (keyword === "uniqueItems" && value)
          this.#guard(copy, { maxItems: MAX_UNIQUE }, { uniqueItems: true });
        else copy[keyword] = value;
        return;
      case "values":
        return Array.isArray(value) ? void (copy[keyword] = value) : malformed();
      case "value":
        copy[keyword] = value;
        return;
      case "text":
        if (typeof value !== "string") return keyword === "pattern" ? malformed() : undefined;
        if (keyword === "pattern") return this.#pattern(value, spot);
        copy[keyword] = value;
    }
  }

  #type(value: JsonValue, spot: Spot): void {
    const names = Array.isArray(value) ? value : [value];
    if (names.length > 0 && names.every((name) => typeof name === "string" && TYPES.has(name))) {
      spot.parent["type"] = value;
    } else {
      this.drop(spot.parent, spot.path, `has an unknown type ${quoted(JSON.stringify(value))}, ignored`);
    }
  }

  #pattern(pattern: string, spot: Spot): void {
    const guard = this.#judge(pattern);
    if (guard === undefined) {
      this.drop(spot.parent, spot.path, `has a pattern that cannot be checked safely here, ignored`);
    } else if (guard === Infinity) {
      spot.parent["pattern"] = pattern;
    } else {
      // Security: the time this pattern takes grows with the square of the text, so long texts pass unchecked.
      this.#guard(spot.parent, { maxLength: guard }, { pattern });
    }
  }

  /** Judges each pattern once, and only so many. */
  #judge(pattern: string): number | undefined {
    if (!this.#patterns.has(pattern) && this.#patterns.size < MAX_PATTERNS) {
      this.#patterns.set(pattern, patternGuard(pattern));
    }
    return this.#patterns.get(pattern);
  }

  #map(keyword: string, value: JsonObject, spot: Spot): JsonObject {
    const map: Copy = {};
    for (const name of Object.keys(value)) {
      const member = value[name] as JsonValue;
      const key = `${keyword}/${pointerSegment(name)}`;
      const path = `${spot.path}/${key}`;
      if (!name.isWellFormed()) {
        this.drop(spot.parent, path, "has a name that is not text, ignored");
        this.opened.add(spot.parent);
      } else if (keyword === "patternProperties" && this.#judge(name) !== Infinity) {
        this.drop(spot.parent, path, "is a pattern that cannot be checked safely here, ignored");
        this.opened.add(spot.parent);
      } else if (Array.isArray(member)) {
        // A list where a schema belongs is a keyword in the wrong place, such as `required` among properties.
        this.drop(spot.parent, path, "is a list where a schema belongs, ignored");
      } else {
        put(map, name, this.#child(member, key, spot, IN_PLACE.has(keyword)));
      }
    }
    return map;
  }

  /** The keyword of older drafts in its two later forms, which validators read in every draft. */
  #dependencies(value: JsonObject, spot: Spot): void {
    const { parent } = spot;
    const members = Object.entries(value);
    const schemas = members.filter(([, member]) => !isStrings(member));
    const lists = members.filter(([, member]) => isStrings(member));
    const merge = (keyword: string, added: JsonObject): void => {
      parent[keyword] = { ...added, ...(parent[keyword] as JsonObject | undefined) };
    };
    if (schemas.length > 0)
      merge("dependentSchemas", this.#map("dependentSchemas", Object.fromEntries(schemas), spot));
    if (lists.length > 0) merge("dependentRequired", Object.fromEntries(lists));
  }

  /** Brings limits to the form of the dialect: draft-04 has flags beside minimum and maximum, later drafts numbers. */
  #limits(source: JsonObject, copy: Copy, path: string): void {
    for (const [keyword, limit] of [
      ["exclusiveMinimum", "minimum"],
      ["exclusiveMaximum", "maximum"],
    ] as const) {
      const value = own(source, keyword);
      if (value === undefined || (Object.hasOwn(copy, "$ref") && this.dialect.startsWith("draft"))) continue;
      if (this.dialect === "draft-04" ? typeof value === "boolean" : typeof value === "number") {
        copy[keyword] = value as JsonValue;
      } else if (value === true && copy[limit] !== undefined) {
        copy[keyword] = copy[limit];
        delete copy[limit];
      } else if (value !== false) {
        this.drop(copy, path, `has a malformed ${keyword}, ignored`);
      }
    }
  }

  /** OpenAPI's `nullable`: JSON Schema ignores it, its author means that null is allowed. */
  #nullable(copy: Copy, referenceIndex: number): void {
    this.inexact.add(copy);
    const { type } = copy;
    if (typeof type === "string" && type !== "null") copy["type"] = [type, "null"];
    else if (Array.isArray(type) && !type.includes("null")) copy["type"] = [...type, "null"];
    const values = copy["enum"];
    if (Array.isArray(values) && !values.includes(null)) copy["enum"] = [...values, null];
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = copy[keyword];
      if (Array.isArray(branches)) copy[keyword] = [...branches, { type: "null" }];
    }
    for (const keyword of ["allOf", "$ref"]) {
      const value = copy[keyword];
      if (value === undefined || copy["anyOf"] !== undefined) continue;
      const rest: Copy = { [keyword]: value };
      delete copy[keyword];
      copy["anyOf"] = [rest, { type: "null" }];
      const reference = this.references[referenceIndex];
      if (keyword === "$ref" && reference !== undefined) {
        this.references[referenceIndex] = { ...reference, copy: rest };
      }
      this.edges.push({ from: copy, to: rest, inPlace: true });
    }
  }

  /** Asserts `statement` only on values for which `condition` holds. */
  #guard(copy: Copy, condition: Copy, statement: Copy): void {
    const guarded: Copy = { if: condition, then: statement };
    this.edges.push({ from: copy, to: guarded, inPlace: true });
    this.inexact.add(guarded);
    const others = copy["allOf"];
    copy["allOf"] = [...(Array.isArray(others) ? others : []), guarded];
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === "string");
}
