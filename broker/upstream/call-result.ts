// Owns the reading of a `tools/call` result: every shape servers send becomes one, and nothing of it is lost.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { isDeeperThan } from "./depth.ts";
import { printable } from "./printable.ts";
import type { UpstreamResult } from "./upstream.ts";

const MAX_DEPTH = 1_000;
const MAX_NOTES = 20;
const REQUIRED_TEXT: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["audio", ["data", "mimeType"]],
  ["resource_link", ["uri"]],
]);

/** Reads a raw result. `modern`: revision 2026-07-28 or later, where `structuredContent: null` is a value. Never throws. */
export function readCallResult(raw: JsonValue, modern: boolean): UpstreamResult {
  const notes: string[] = [];
  if (!isJsonObject(raw)) {
    notes.push("the result is not an object; it was taken as the value");
    return { content: [], structuredContent: raw, isError: false, notes };
  }
  if (isDeeperThan(raw, MAX_DEPTH)) {
    const text = `the result nests deeper than ${MAX_DEPTH} levels and was left out`;
    return { content: [{ type: "text", text }], isError: true, notes: [text] };
  }
  const content = readContent(own(raw, "content"), notes);
  const structured = readStructured(raw, content.length === 0, modern, notes);
  const flag = own(raw, "isError");
  const isError = flag !== undefined && flag !== false && flag !== null;
  if (isError && flag !== true) notes.push("isError is not true or false; the result was taken as a failure");
  return {
    content,
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
    notes: notes.slice(0, MAX_NOTES),
  };
}

function readStructured(
  raw: JsonObject,
  empty: boolean,
  modern: boolean,
  notes: string[],
): JsonValue | undefined {
  const structured = own(raw, "structuredContent") as JsonValue | undefined;
  // Servers of older revisions write null for "none"; only objects were allowed there.
  if (structured !== undefined && (structured !== null || modern)) return structured;
  const old = own(raw, "toolResult") as JsonValue | undefined;
  if (old !== undefined && empty) {
    notes.push("the result has the form of revision 2024-10-07");
    return old;
  }
  return undefined;
}

function readContent(value: unknown, notes: string[]): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  const blocks: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!Array.isArray(value)) notes.push("content is not a list; it was taken as one block");
  return blocks.map((block, at) => readBlock(block as JsonValue, at, notes));
}

function readBlock(block: JsonValue, at: number, notes: string[]): JsonObject {
  if (typeof block === "string") {
    notes.push(`content[${at}] is plain text`);
    return { type: "text", text: block };
  }
  const type = isJsonObject(block) ? own(block, "type") : undefined;
  if (!isJsonObject(block) || typeof type !== "string") {
    notes.push(`content[${at}] has no type; it was taken as text`);
    return { type: "text", text: JSON.stringify(block) };
  }
  if (type === "resource") {
    if (isJsonObject(own(block, "resource"))) return block;
  } else {
    const required = REQUIRED_TEXT.get(type);
    if (required === undefined)
      notes.push(`content[${at}] has the unknown type ${JSON.stringify(printable(type, 40))}`);
    if (required?.every((key) => typeof own(block, key) === "string") ?? true) return block;
  }
  notes.push(`content[${at}] is not a valid ${type} block; it was taken as text`);
  return { type: "text", text: JSON.stringify(block) };
}
