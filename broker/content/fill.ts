// Owns the exchange of handles in arguments for the data that is sent.
import { isContentId, type ValuePath } from "../../contract/content.ts";
import { own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { plain } from "../plain-text.ts";
import type { ContentStore, KeptContent } from "./store.ts";
import { createWanted, type Wanted } from "./wanted.ts";

export interface Filled {
  /** What is sent. */
  readonly value: JsonObject;
  /** The same for a person and for records: a short text in place of each data. */
  readonly shown: JsonObject;
  /** Size of the data in all places together. */
  readonly bytes: number;
}

interface Filling {
  readonly store: ContentStore;
  readonly wanted: (path: ValuePath) => Wanted;
  readonly maxBytes: number;
  bytes: number;
  count: number;
}

class Unfit extends Error {}

/** Handles in the arguments of one call. */
const MAX_HANDLES = 1_000;

const HANDLE_KEYS: ReadonlySet<string> = new Set([
  "type",
  "mimeType",
  "bytes",
  "id",
  "uri",
  "name",
  "annotations",
  "_meta",
]);

/** A text says why it cannot be: a handle that is none of this run's, or more data than `maxBytes`. */
export function fillHandles(
  value: JsonObject,
  schema: JsonObject,
  options: { readonly store: ContentStore; readonly maxBytes: number },
): Filled | string {
  const filling: Filling = { ...options, wanted: createWanted(schema), bytes: 0, count: 0 };
  try {
    const [sent, shown] = fillObject(value, [], filling);
    return { value: sent, shown, bytes: filling.bytes };
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

type Both<T> = readonly [sent: T, shown: T];

function fill(value: JsonValue, path: ValuePath, filling: Filling): Both<JsonValue> {
  if (typeof value !== "object" || value === null) return [value, value];
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue, at) => fill(item, [...path, at], filling));
    return [items.map(([sent]) => sent), items.map(([, shown]) => shown)];
  }
  const object = value as JsonObject;
  return isContentId(own(object, "id"))
    ? fillHandle(object, path, filling)
    : fillObject(object, path, filling);
}

function fillObject(value: JsonObject, path: ValuePath, filling: Filling): Both<JsonObject> {
  const members = Object.entries(value).map(
    ([key, member]) => [key, fill(member, [...path, key], filling)] as const,
  );
  return [
    Object.fromEntries(members.map(([key, [sent]]) => [key, sent])),
    Object.fromEntries(members.map(([key, [, shown]]) => [key, shown])),
  ];
}

function fillHandle(handle: JsonObject, path: ValuePath, filling: Filling): Both<JsonValue> {
  const place = ["input", ...path].map(String).join(".");
  // Security: only what this run was given; an id of another run finds nothing here.
  const content = filling.store.find(handle["id"] as string);
  if (content === undefined) throw new Unfit(`${plain(place, 200)}: is no handle of this run`);
  filling.bytes += content.facts.bytes;
  filling.count += 1;
  // Security: each is looked up in a schema that the server wrote.
  if (filling.count > MAX_HANDLES) throw new Unfit(`input: holds more than ${MAX_HANDLES} handles`);
  // Security: one handle in many places is sent as often.
  if (filling.bytes > filling.maxBytes) {
    const text = `holds more than ${filling.maxBytes} bytes of binary content (limit contentBytes)`;
    throw new Unfit(`input: ${text}`);
  }
  const wanted = filling.wanted(path);
  const shown = shownContent(content);
  if (wanted?.form === "text") return [content.data, shown];
  const keys = wanted === undefined || wanted.keys.size === 0 ? undefined : wanted.keys;
  // What a script added to a copy of the handle goes along.
  const added = Object.fromEntries(Object.entries(handle).filter(([key]) => !HANDLE_KEYS.has(key)));
  const [sentToo, shownToo] = fillObject(added, path, filling);
  return [
    { ...objectForm(content, content.data, keys), ...sentToo },
    { ...objectForm(content, shown, keys), ...shownToo },
  ];
}

/** `image/png, 12345 bytes from server.tool, sha256 …` */
export function shownContent({ facts, source, sha256 }: KeptContent): string {
  const from = plain(`${source.server}.${source.tool}`, 120);
  return `<${facts.mimeType}, ${facts.bytes} bytes from ${from}, sha256 ${sha256()}>`;
}

/** The members of a content block that the schema names; without a schema, a content block of MCP. */
function objectForm({ facts }: KeptContent, data: string, keys: ReadonlySet<string> | undefined): JsonObject {
  const { type, mimeType, uri, name } = facts;
  const resource = { uri: uri ?? "content:", mimeType, blob: data };
  const all: JsonObject = {
    type,
    data,
    mimeType,
    blob: data,
    resource,
    ...(uri !== undefined && { uri }),
    ...(name !== undefined && { name }),
  };
  const standard = type === "resource" ? ["type", "resource"] : ["type", "data", "mimeType"];
  const wanted = keys ?? new Set(standard);
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
}
