// Owns what the schema of a tool wants where a script put a handle: base64 text, or an object with it.
import type { ValuePath } from "../../contract/content.ts";
import { isJsonObject, own, type JsonObject } from "../../contract/json.ts";

/** Undefined: the schema says nothing of this place. */
export type Wanted =
  { readonly form: "text" } | { readonly form: "object"; readonly keys: ReadonlySet<string> } | undefined;

/** Subschemas that are looked at for one place. */
const MAX_NODES = 200;
const COMBINED = ["anyOf", "oneOf", "allOf"] as const;

/** Tells what `schema` wants at a path. Paths that begin alike cost their difference. */
export function createWanted(schema: JsonObject): (path: ValuePath) => Wanted {
  const known = new Map<string, readonly JsonObject[]>();
  const nodesAt = (path: ValuePath): readonly JsonObject[] => {
    const name = JSON.stringify(path);
    let nodes = known.get(name);
    if (nodes === undefined) {
      const last = path.at(-1);
      const above = last === undefined ? [schema] : nodesAt(path.slice(0, -1));
      nodes = reach(schema, last === undefined ? above : above.flatMap((node) => below(node, last)));
      known.set(name, nodes);
    }
    return nodes;
  };
  return (path) => wantedOf(nodesAt(path));
}

function wantedOf(nodes: readonly JsonObject[]): Wanted {
  if (nodes.some((node) => says(node, "string"))) return { form: "text" };
  const objects = nodes.filter((node) => says(node, "object") || isJsonObject(own(node, "properties")));
  if (objects.length === 0) return undefined;
  const keys = objects.flatMap((node) => {
    const properties = own(node, "properties");
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });
  return { form: "object", keys: new Set(keys) };
}

/** The nodes, and what they refer to and combine. */
function reach(root: JsonObject, from: readonly unknown[]): readonly JsonObject[] {
  const seen = new Set<JsonObject>();
  const pending = [...from];
  for (let node = pending.pop(); node !== undefined && seen.size < MAX_NODES; node = pending.pop()) {
    if (!isJsonObject(node) || seen.has(node)) continue;
    seen.add(node);
    for (const word of COMBINED) {
      const members = own(node, word);
      if (Array.isArray(members) && pending.length < MAX_NODES) pending.push(...members.slice(0, MAX_NODES));
    }
    const reference = own(node, "$ref");
    if (typeof reference === "string") pending.push(target(root, reference));
  }
  return [...seen];
}

function below(node: JsonObject, key: string | number): readonly unknown[] {
  if (typeof key === "number") {
    const prefix = own(node, "prefixItems");
    const placed: unknown = Array.isArray(prefix) ? prefix[key] : undefined;
    const items = own(node, "items");
    return [placed ?? (Array.isArray(items) ? (items[key] as unknown) : items)];
  }
  const properties = own(node, "properties");
  const named = isJsonObject(properties) ? own(properties, key) : undefined;
  return [named ?? own(node, "additionalProperties")];
}

function target(root: JsonObject, reference: string): unknown {
  // Security: only this document, and own members of it.
  if (!reference.startsWith("#/") || reference.length > 1_000) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = own(value, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}

function says(node: JsonObject, type: string): boolean {
  const given = own(node, "type");
  return given === type || (Array.isArray(given) && given.includes(type));
}
