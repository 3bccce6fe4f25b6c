// Owns intersections: merged where plain objects meet, capped before TypeScript multiplies them out.
import {
  NEVER,
  OPEN_OBJECT,
  UNKNOWN,
  unionOf,
  widthOf,
  type ObjectNode,
  type TypeNode,
} from "./type-tree.ts";

export interface Intersection {
  readonly node: TypeNode;
  /** True when alternatives were left out to stay within the cap. */
  readonly clipped: boolean;
}

export interface IntersectOptions {
  /** Lets keys pass that none of the types lists. */
  readonly open: boolean;
  /** Alternatives at most. */
  readonly product: number;
  /** Alternatives of named definitions. */
  readonly widths: ReadonlyMap<string, number>;
}

/** All of `types` at once. */
export function intersect(types: readonly TypeNode[], options: IntersectOptions): Intersection {
  const flat = types.flatMap((type) => (type.kind === "intersection" ? type.members : [type]));
  const said = meetSimple(flat.filter((type) => type.kind !== "unknown"));
  if (said.some((type) => type.kind === "never")) return { node: NEVER, clipped: false };
  if (said.length === 0) return { node: UNKNOWN, clipped: false };

  const kept: TypeNode[] = [];
  let product = 1;
  let clipped = false;
  for (const type of said) {
    const width = widthOf(type, options.widths);
    if (kept.length > 0 && width > 1 && product * width > options.product) {
      clipped = true;
      continue;
    }
    product *= width;
    kept.push(type);
  }
  const keyed = kept.some(listsKeys);
  // "It is an object" adds nothing to objects that list keys, and must not open them.
  const members = keyed ? kept.filter((type) => type.kind !== "object" || type.vague !== true) : kept;
  if (keyed && (options.open || clipped)) members.push(OPEN_OBJECT);
  const merged = mergeObjects(members, options);
  const node: TypeNode =
    merged.length === 1 ? (merged[0] as TypeNode) : { kind: "intersection", members: merged };
  return { node, clipped };
}

/** Primitives and literals that meet become what they share. */
function meetSimple(types: readonly TypeNode[]): TypeNode[] {
  let shared: readonly TypeNode[] | undefined;
  const rest: TypeNode[] = [];
  for (const type of types) {
    const members = type.kind === "union" ? type.members : [type];
    if (!members.every(({ kind }) => kind === "primitive" || kind === "literal")) rest.push(type);
    else
      shared =
        shared === undefined
          ? members
          : shared.flatMap((left) => members.flatMap((right) => meet(left, right)));
  }
  return shared === undefined ? rest : [unionOf(shared), ...rest];
}

function meet(left: TypeNode, right: TypeNode): readonly TypeNode[] {
  if (left.kind === "literal") {
    const same = right.kind === "literal" ? right.value === left.value : nameOf(right) === typeof left.value;
    return same ? [left] : [];
  }
  return right.kind === "literal" ? meet(right, left) : nameOf(left) === nameOf(right) ? [left] : [];
}

function nameOf(type: TypeNode): string {
  return type.kind === "primitive" ? type.name : "";
}

function listsKeys(type: TypeNode): boolean {
  if (type.kind === "union" || type.kind === "intersection") return type.members.some(listsKeys);
  return type.kind === "reference" || (type.kind === "object" && type.properties.length > 0);
}

/** Plain objects become one. */
function mergeObjects(types: readonly TypeNode[], options: IntersectOptions): TypeNode[] {
  const merged: TypeNode[] = [];
  for (const type of types) {
    const index = isPlain(type) ? merged.findIndex(isPlain) : -1;
    if (index < 0) merged.push(type);
    else merged[index] = join(merged[index] as ObjectNode, type as ObjectNode, options);
  }
  return merged;
}

/** False for maps, whose values have a type that listed keys would have to have as well. */
function isPlain(type: TypeNode): boolean {
  return type.kind === "object" && (type.index === undefined || type.index.kind === "unknown");
}

function join(left: ObjectNode, right: ObjectNode, options: IntersectOptions): ObjectNode {
  const properties = new Map(left.properties.map((property) => [property.name, property]));
  for (const property of right.properties) {
    const known = properties.get(property.name);
    const doc = known?.doc ?? property.doc;
    properties.set(property.name, {
      name: property.name,
      optional: (known?.optional ?? true) && property.optional,
      type:
        known === undefined
          ? property.type
          : intersect([known.type, property.type], { ...options, open: false }).node,
      ...(doc === undefined ? {} : { doc }),
    });
  }
  const index = left.index ?? right.index;
  return { kind: "object", properties: [...properties.values()], ...(index === undefined ? {} : { index }) };
}
