// Owns the small tree of types that every schema becomes and every printer reads.

export type TypeNode =
  | { readonly kind: "unknown" }
  | { readonly kind: "never" }
  | { readonly kind: "primitive"; readonly name: "null" | "boolean" | "number" | "string" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: TypeNode }
  | {
      readonly kind: "tuple";
      readonly items: readonly TypeNode[];
      readonly min: number;
      readonly rest?: TypeNode;
    }
  | ObjectNode
  | { readonly kind: "union"; readonly members: readonly TypeNode[] }
  | { readonly kind: "intersection"; readonly members: readonly TypeNode[] }
  | { readonly kind: "reference"; readonly name: string };

export interface ObjectNode {
  readonly kind: "object";
  readonly properties: readonly PropertyNode[];
  /** Type of other keys. Absent: other keys are refused as typing mistakes. */
  readonly index?: TypeNode;
  /** True when the schema says no more than that it is an object. */
  readonly vague?: true;
}

export interface PropertyNode {
  readonly name: string;
  readonly optional: boolean;
  readonly type: TypeNode;
  readonly doc?: PropertyDoc;
}

/** What a type cannot say. Texts are as the server sent them. */
export interface PropertyDoc {
  readonly description?: string;
  readonly constraints: readonly string[];
}

/** A named type of one tool. */
export interface DefinitionNode {
  readonly name: string;
  readonly type: TypeNode;
  readonly doc?: PropertyDoc;
}

/** A schema as one type and the definitions it needs, in order of first use. */
export interface SchemaType {
  readonly type: TypeNode;
  readonly definitions: readonly DefinitionNode[];
  readonly notes: readonly string[];
}

export const UNKNOWN: TypeNode = { kind: "unknown" };
export const NEVER: TypeNode = { kind: "never" };
export const OPEN_OBJECT: ObjectNode = { kind: "object", properties: [], index: UNKNOWN };
export const VAGUE_OBJECT: ObjectNode = { ...OPEN_OBJECT, vague: true };
/** Printed `{}`: adds nothing to what it is intersected with. */
export const EMPTY_OBJECT: ObjectNode = { kind: "object", properties: [] };

/** A union without repeats; one member stands for itself. */
export function unionOf(members: readonly TypeNode[]): TypeNode {
  const flat = members.flatMap((member) => (member.kind === "union" ? member.members : [member]));
  if (flat.some((member) => member.kind === "unknown")) return UNKNOWN;
  const seen = new Set<string>();
  const kept = flat.filter((member) => {
    if (member.kind === "never") return false;
    const key = simpleKey(member);
    if (key === undefined) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const distinct = kept.filter((member) => {
    if (member.kind !== "literal") return true;
    return !seen.has(`primitive ${typeof member.value}`);
  });
  if (distinct.length === 0) return NEVER;
  return distinct.length === 1 ? (distinct[0] as TypeNode) : { kind: "union", members: distinct };
}

function simpleKey(node: TypeNode): string | undefined {
  if (node.kind === "primitive") return `primitive ${node.name}`;
  if (node.kind === "literal") return `literal ${JSON.stringify(node.value)}`;
  if (node.kind === "reference") return `reference ${node.name}`;
  if (node === OPEN_OBJECT || node === VAGUE_OBJECT) return "open object";
  return undefined;
}

/**
 * How many alternatives TypeScript may have to look at when this type meets another one. Alternatives of a
 * property count as well, since properties of one name meet. Literals do not: sets of them are compared fast.
 */
export function widthOf(node: TypeNode, definitions: ReadonlyMap<string, number>): number {
  const widest = (nodes: readonly TypeNode[]): number =>
    nodes.reduce((most, each) => Math.max(most, widthOf(each, definitions)), 1);
  switch (node.kind) {
    case "union": {
      const structured = node.members.filter(({ kind }) => kind !== "primitive" && kind !== "literal");
      const sum = structured.reduce((total, member) => total + widthOf(member, definitions), 0);
      return sum + (structured.length < node.members.length ? 1 : 0);
    }
    case "intersection":
      return node.members.reduce((product, member) => product * widthOf(member, definitions), 1);
    case "reference":
      return definitions.get(node.name) ?? 1;
    case "array":
      return widthOf(node.items, definitions);
    case "tuple":
      return widest(node.items);
    case "object":
      return widest([
        ...node.properties.map(({ type }) => type),
        ...(node.index === undefined ? [] : [node.index]),
      ]);
    default:
      return 1;
  }
}
