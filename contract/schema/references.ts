// Owns local references: found, brought to normal form, and cut where a cycle of them says nothing.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { append, cyclicNodes } from "./graph.ts";
import { quoted } from "./printable.ts";
import { put, type Copy, type Reference, type SchemaWalk } from "./walk.ts";

/** Points every reference at the copy of its target; drops those that are not local or point nowhere. */
export function linkReferences(walk: SchemaWalk, root: Copy): void {
  // The list grows while targets outside the usual places are copied.
  for (let index = 0; index < walk.references.length; index += 1) {
    link(walk, walk.references[index] as Reference, root);
  }
}

function link(walk: SchemaWalk, reference: Reference, root: Copy): void {
  const { copy, text } = reference;
  const target = resolve(walk, reference);
  if (typeof target === "boolean") {
    delete copy["$ref"];
    if (!target) copy["allOf"] = [...((copy["allOf"] as readonly JsonValue[] | undefined) ?? []), false];
    return;
  }
  if (!isJsonObject(target)) {
    unlink(walk, reference, `refers to ${quoted(text)}, which is not a schema of this document, ignored`);
    return;
  }
  let place = walk.places.get(target);
  // A place can also be gone, when what held its schema was dropped.
  if (place === undefined || !/^#[\w$/.~-]*$/.test(place.path) || at(root, place.path) !== place.copy) {
    place = hoist(walk, target, reference, root);
  }
  copy["$ref"] = place.path;
  walk.edges.push({ from: copy, to: place.copy, inPlace: true });
}

/** Without its reference a schema says nothing, so whatever it sits in must stay open. */
function unlink(walk: SchemaWalk, reference: Reference, sentence: string): void {
  delete reference.copy["$ref"];
  reference.copy["unevaluatedProperties"] = true;
  walk.drop(reference.copy, reference.path, sentence);
}

/** Copies a target that is not a schema by position, or has an awkward name, into `$defs`. */
function hoist(
  walk: SchemaWalk,
  target: JsonObject,
  reference: Reference,
  root: Copy,
): { readonly path: string; readonly copy: Copy } {
  if (!Object.hasOwn(root, "$defs")) root["$defs"] = {};
  const definitions = root["$defs"] as Copy;
  const stem = (reference.text.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 40) || "def";
  let name = stem;
  for (let count = walk.places.size; Object.hasOwn(definitions, name) || name === "__proto__"; count += 1) {
    name = `${stem}_${count}`;
  }
  const path = `#/$defs/${name}`;
  walk.places.delete(target);
  const copy = walk.copy(target, { parent: definitions, path, depth: 1, base: reference.base }) as Copy;
  put(definitions, name, copy);
  walk.edges.push({ from: root, to: copy, inPlace: false });
  const place = { path, copy };
  walk.places.set(target, place);
  return place;
}

function resolve(walk: SchemaWalk, { text, base }: Reference): JsonValue | undefined {
  // Security: only this document. Nothing is ever fetched or read.
  if (!text.startsWith("#") || text.length > 1_000) return undefined;
  let fragment: string;
  try {
    fragment = decodeURIComponent(text.slice(1));
  } catch {
    return undefined;
  }
  if (fragment === "") return base;
  if (!fragment.startsWith("/")) return walk.anchors.get(base)?.get(fragment);
  return at(base, fragment);
}

function at(document: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const segment of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
    // Security: own members only; `#/constructor` points nowhere.
    value = own(value, name) as JsonValue | undefined;
  }
  return value;
}

/**
 * Drops the references on cycles that never step into a property or an item: they say nothing, and a
 * validator would follow them for ever.
 */
export function cutCycles(walk: SchemaWalk): void {
  const linked = walk.references.filter(({ copy }) => Object.hasOwn(copy, "$ref"));
  if (linked.length === 0) return;
  const edges = new Map<Copy, Copy[]>();
  for (const { from, to, inPlace } of walk.edges) if (inPlace) append(edges, from, to);
  const nodes = cyclicNodes(edges);
  if (nodes.size === 0) return;
  const targets = new Map([...walk.places.values()].map(({ path, copy }) => [path, copy]));
  for (const reference of linked) {
    const target = targets.get(reference.copy["$ref"] as string);
    if (nodes.has(reference.copy) && target !== undefined && nodes.has(target)) {
      unlink(walk, reference, `refers to itself through ${quoted(reference.text)}, ignored`);
    }
  }
}
