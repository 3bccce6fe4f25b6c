// Owns which definitions of a schema get a name of their own, and what that name is.
import { createHash } from "node:crypto";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { append, cyclicNodes } from "../../contract/schema/graph.ts";
import { RESERVED_TYPES } from "../reserved.ts";

const WIDEST = 10_000;
const DEEPEST = 60;
const MOST_PARTS = 2_000;

export type Definition =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "inline"; readonly schema: JsonObject };

interface Target {
  readonly schema: JsonObject;
  uses: number;
}

/** Decides once, from the whole schema, so that the outcome does not depend on the order of use. */
export class Definitions {
  /** Alternatives of each named definition, for the cap on products. */
  readonly widths: Map<string, number> = new Map();
  readonly #targets = new Map<string, Target>();
  readonly #names = new Map<string, string>();
  readonly #asked = new Set<string>();
  readonly #queue: { readonly name: string; readonly schema: JsonObject; readonly pointer: string }[] = [];

  constructor(root: JsonObject, rootName: string, taken: ReadonlySet<string>) {
    const graph = new Map<string, Set<string>>();
    collect(root, root, this.#targets, graph);
    const recursive = cyclicNodes(graph);
    const named = [...this.#targets].filter(
      ([pointer, { uses, schema }]) => recursive.has(pointer) || (uses > 1 && !isScalar(schema)),
    );
    const widths = new Widths(root);
    const bases = new Map<string, string[]>();
    for (const [pointer] of named) {
      const base = typeName(pointer, rootName);
      append(bases, base, pointer);
    }
    for (const [base, pointers] of bases) {
      for (const pointer of pointers) {
        const alone = pointers.length === 1 && !taken.has(base);
        const name = alone ? base : `${base}_${sha256(`${rootName} ${pointer}`).slice(0, 8)}`;
        this.#names.set(pointer, name);
        this.widths.set(name, widths.of(pointer));
      }
    }
  }

  /** What a reference to `pointer` becomes; naming a definition puts it on the list to declare. */
  find(pointer: string): Definition | undefined {
    const target = this.#targets.get(pointer);
    if (target === undefined) return undefined;
    const name = this.#names.get(pointer);
    if (name === undefined) return { kind: "inline", schema: target.schema };
    if (!this.#asked.has(pointer)) {
      this.#asked.add(pointer);
      this.#queue.push({ name, schema: target.schema, pointer });
    }
    return { kind: "named", name };
  }

  /** The definition that takes the place of a reference without a name of its own. */
  inlined(schema: JsonValue): JsonValue {
    const pointer = isJsonObject(schema) ? own(schema, "$ref") : undefined;
    if (typeof pointer !== "string" || this.#names.has(pointer)) return true;
    return this.#targets.get(pointer)?.schema ?? true;
  }

  /** The next definition to declare. */
  next(): { readonly name: string; readonly schema: JsonObject; readonly pointer: string } | undefined {
    return this.#queue.shift();
  }
}

/** Resolves a reference of a degraded schema: always `#` or `#/…` without escapes but `~0` and `~1`. */
function resolve(root: JsonObject, pointer: string): JsonObject | undefined {
  let at: unknown = root;
  for (const segment of pointer.slice(1).split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = own(at, segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return isJsonObject(at) ? at : undefined;
}

/** Finds every target, how often it is used, and which targets each one's text mentions. */
function collect(
  root: JsonObject,
  start: JsonObject,
  targets: Map<string, Target>,
  graph: Map<string, Set<string>>,
): void {
  const visit = (schema: JsonValue, mentions: Set<string> | undefined): void => {
    if (Array.isArray(schema)) {
      for (const member of schema as readonly JsonValue[]) visit(member, mentions);
      return;
    }
    if (!isJsonObject(schema)) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === "enum" || key === "const" || key === "default") continue;
      if (key === "$ref" && typeof value === "string") {
        mentions?.add(value);
        if (mentions === undefined) use(value);
      } else if (typeof value === "object") {
        visit(value, mentions);
      }
    }
  };
  const use = (pointer: string): void => {
    const known = targets.get(pointer);
    if (known !== undefined) {
      known.uses += 1;
      return;
    }
    const schema = resolve(root, pointer);
    if (schema === undefined) return;
    targets.set(pointer, { schema, uses: 1 });
    const mentions = new Set<string>();
    graph.set(pointer, mentions);
    visit(schema, mentions);
  };
  visit(start, undefined);
}

function isScalar(schema: JsonObject): boolean {
  const values = own(schema, "enum");
  if (Array.isArray(values)) return values.length <= 6;
  if (Object.hasOwn(schema, "const")) return true;
  const type = own(schema, "type");
  return (
    type === "string" || type === "number" || type === "integer" || type === "boolean" || type === "null"
  );
}

/** How many alternatives a schema has, roughly; each definition is counted once. */
class Widths {
  readonly #root: JsonObject;
  readonly #known = new Map<string, number>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  of(pointer: string, depth = 0): number {
    const known = this.#known.get(pointer);
    if (known !== undefined) return known;
    this.#known.set(pointer, 1);
    const width = this.#schema(resolve(this.#root, pointer) ?? true, depth);
    this.#known.set(pointer, width);
    return width;
  }

  #schema(schema: JsonValue, depth: number): number {
    if (!isJsonObject(schema)) return 1;
    if (depth > DEEPEST) return WIDEST;
    const each = (members: readonly JsonValue[]): readonly number[] =>
      members.map((member) => this.#schema(member, depth + 1));
    const list = (keyword: string): readonly JsonValue[] => {
      const value = own(schema, keyword) as JsonValue | undefined;
      if (isJsonObject(value)) return keyword === "properties" ? Object.values(value) : [value];
      return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    };
    const parts = ["properties", "additionalProperties", "items", "prefixItems"].flatMap(list);
    let width = Math.max(1, ...each(parts.slice(0, MOST_PARTS)));
    if (parts.length > MOST_PARTS) width = WIDEST;
    const target = own(schema, "$ref");
    if (typeof target === "string") width *= this.of(target, depth + 1);
    for (const member of each(list("allOf"))) width = Math.min(WIDEST, width * member);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = each(list(keyword));
      if (branches.length > 0) width *= branches.reduce((sum, branch) => sum + branch, 0);
    }
    return Math.min(width, WIDEST);
  }
}

function typeName(pointer: string, rootName: string): string {
  if (pointer === "#") return rootName;
  const last = (pointer.split("/").at(-1) as string).replaceAll("~1", "/").replaceAll("~0", "~");
  let name = last.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 60);
  if (name === "" || /^[0-9]/.test(name)) name = `_${name}`;
  return RESERVED_TYPES.has(name) ? `${name}_` : name;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
