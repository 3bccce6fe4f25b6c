// Owns intersections: merged where plain objects meet, capped before TypeScript multiplies them out.
import { NEVER, OPEN_OBJECT, UNKNOWN, widthOf, type ObjectNode, type TypeNode } from "./type-tree.ts";

export interface Intersection {
  readonly node: TypeNode;
  /** True when alternatives were left out to stay within the cap. */
  readonly clipped: boolean;
}

/** All of `types` at once. `open` lets keys pass that none of them lists. */
export function intersect(
  types: readonly TypeNode[],
  options: { readonly open: boolean; readonly product: number; readonly widths: ReadonlyMap<string, number> },
): Intersection {
  const flat = types.flatMap((type) => (type.kind === "intersection" ? type.members : [type]));
  if (flat.some((type) => type.kind === "never")) return { node: NEVER, clipped: false };
  const said = flat.filter((type) => type.kind !== "unknown");
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
  const merged = mergeObjects(members);
  const node: TypeNode =
    merged.length === 1 ? (merged[0] as TypeNode) : { kind: "intersection", members: merged };
  return { node, clipped };
}

function listsKeys(type: TypeNode): boolean {
  if (type.kind === "union" || type.kind === "intersection") return type.members.some(listsKeys);
  return type.kind === "reference" || (type.kind === "object" && type.properties.length > 0);
}

/** Plain objects with distinct keys become one. */
function mergeObjects(types: readonly TypeNode[]): TypeNode[] {
  const merged: TypeNode[] = [];
  for (const type of types) {
    const index = merged.findIndex(
      (other) => other.kind === "object" && type.kind === "object" && joins(other, type),
    );
    if (index < 0) merged.push(type);
    else merged[index] = join(merged[index] as ObjectNode, type as ObjectNode);
  }
  return merged;
}

function joins(left: ObjectNode, right: ObjectNode): boolean {
  const plain = (node: ObjectNode): boolean => node.index === undefined || node.index.kind === "unknown";
  if (!plain(left) || !plain(right)) return false;
  const names = new Set(left.properties.map(({ name }) => name));
  return right.properties.every(({ name, type }) => !names.has(name) || type.kind === "unknown");
}

function join(left: ObjectNode, right: ObjectNode): ObjectNode {
  const properties = new Map(left.properties.map((property) => [property.name, property]));
  for (const property of right.properties) {
    const known = properties.get(property.name);
    if (known === undefined) properties.set(property.name, property);
    else properties.set(property.name, { ...known, optional: known.optional && property.optional });
  }
  const index = left.index ?? right.index;
  return { kind: "object", properties: [...properties.values()], ...(index === undefined ? {} : { index }) };
}
