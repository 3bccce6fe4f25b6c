// Owns what a script gets from a tool's answer (design: calls and outcomes).
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { textDepth } from "./depth.ts";
import type { UpstreamResult } from "./upstream.ts";

/** Deeper JSON text stays text: writing it out again could exhaust the stack. */
const MAX_DEPTH = 500;

/**
 * `structuredContent` when present; else, when every block is text, the texts joined by line breaks and parsed when
 * the whole is a JSON object or array; else the content blocks. Never throws. `isError` is the caller's to look at.
 */
export function toCallValue(result: Pick<UpstreamResult, "content" | "structuredContent">): JsonValue {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const texts = result.content.map(textOf);
  if (texts.length === 0 || texts.includes(undefined)) return result.content;
  const text = texts.join("\n");
  return parsedContainer(text) ?? text;
}

function textOf(block: JsonObject): string | undefined {
  const text = block["type"] === "text" ? block["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}

function parsedContainer(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  const ends = `${trimmed.at(0) ?? ""}${trimmed.at(-1) ?? ""}`;
  if ((ends !== "{}" && ends !== "[]") || textDepth(trimmed, MAX_DEPTH) > MAX_DEPTH) return undefined;
  try {
    const value = JSON.parse(trimmed) as JsonValue;
    return Array.isArray(value) || isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
