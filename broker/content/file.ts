// Owns the exchange of binary content in results for handles.
import { mediaType, type BinaryFacts, type BinaryKind, type ValuePath } from "../../contract/content.ts";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { canonicalBase64 } from "./base64.ts";
import type { ContentStore, KeptContent } from "./store.ts";

export interface Filed {
  readonly blocks: readonly JsonObject[];
  /** Indexes of the blocks that are handles now. */
  readonly handles: readonly ValuePath[];
  /** Size of what was filed. */
  readonly bytes: number;
}

interface Binary {
  readonly type: BinaryKind;
  /** Where data, media type and URI are. */
  readonly holder: JsonObject;
  readonly data: string;
}

const PADDING = 2;
const MAX_NAME = 1_000;
const MAX_URI = 8_000;
const SHOWN_UNITS = 100;

/**
 * Content blocks with handles in place of images, audio and binary resources. What is not base64 becomes a text that
 * says so. `{ over }` is the size of it all when there is no room for that.
 */
export function fileBlocks(
  blocks: readonly JsonObject[],
  store: ContentStore,
  source: KeptContent["source"],
): Filed | { readonly over: number } {
  const found = blocks.map(binaryOf);
  if (found.every((one) => one === undefined)) return { blocks, handles: [], bytes: 0 };
  // Security: before anything is decoded, or kept that nobody gets a handle of.
  const size = found.reduce((sum, one) => sum + estimateOf(one), 0);
  if (size > store.room()) return { over: size };
  const filed: JsonObject[] = [];
  const handles: ValuePath[] = [];
  let bytes = 0;
  for (const [at, block] of blocks.entries()) {
    const binary = found[at];
    if (binary === undefined) {
      filed.push(block);
      continue;
    }
    const data = canonicalBase64(binary.data);
    if (data === undefined) {
      filed.push({ type: "text", text: notBase64(binary) });
      continue;
    }
    const kept = store.keep(data, factsOf(binary), source);
    if (kept === undefined) return { over: size };
    bytes += kept.facts.bytes;
    handles.push([at]);
    filed.push({ ...(kept.facts as unknown as JsonObject), ...annotationsOf(block, binary.holder) });
  }
  return { blocks: filed, handles, bytes };
}

/** Puts each block where it belongs, in a value that is the caller's own. */
export function placeBlocks(
  value: JsonValue,
  places: readonly ValuePath[],
  blocks: readonly JsonObject[],
): JsonValue {
  places.forEach((place, index) => {
    let holder = value as unknown as Record<string | number, unknown>;
    for (const key of place.slice(0, -1)) holder = holder[key] as typeof holder;
    holder[place.at(-1) as string | number] = blocks[index];
  });
  return value;
}

function estimateOf(binary: Binary | undefined): number {
  return binary === undefined ? 0 : Math.max(0, Math.floor((binary.data.length * 3) / 4) - PADDING);
}

function binaryOf(block: JsonObject): Binary | undefined {
  const type = own(block, "type");
  const holder = type === "resource" ? own(block, "resource") : block;
  if ((type !== "image" && type !== "audio" && type !== "resource") || !isJsonObject(holder))
    return undefined;
  const data = own(holder, type === "resource" ? "blob" : "data");
  return typeof data === "string" ? { type, holder, data } : undefined;
}

function factsOf({ type, holder }: Binary): Omit<BinaryFacts, "id" | "bytes"> {
  const uri = own(holder, "uri");
  const name = own(holder, "name");
  return {
    type,
    mimeType: mediaType(own(holder, "mimeType")),
    ...(typeof uri === "string" && uri.length <= MAX_URI && { uri: uri.toWellFormed() }),
    ...(typeof name === "string" && name.length <= MAX_NAME && { name: name.toWellFormed() }),
  };
}

function annotationsOf(block: JsonObject, holder: JsonObject): JsonObject {
  const annotations = own(block, "annotations") ?? own(holder, "annotations");
  const meta = own(block, "_meta") ?? own(holder, "_meta");
  return {
    ...(isJsonObject(annotations) && { annotations: annotations as JsonValue }),
    ...(isJsonObject(meta) && { _meta: meta as JsonValue }),
  };
}

function notBase64({ type, data }: Binary): string {
  const start = data.slice(0, SHOWN_UNITS).toWellFormed();
  return `[${type} whose data is not base64: ${data.length} characters, starting ${JSON.stringify(start)}]`;
}
