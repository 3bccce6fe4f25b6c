// Owns the ways to the data of a handle besides a tool's arguments: the call that reads it, and the run's result.
import type { CallOutcome, CallRequest } from "../../contract/call.ts";
import type { EmittedContent } from "../../contract/content.ts";
import { isJsonObject, own } from "../../contract/json.ts";
import { callError } from "../refusal.ts";
import { sliceBase64 } from "./base64.ts";
import type { ContentStore } from "./store.ts";

/** Bytes around the data in the JSON text of the result. */
const QUOTES = 2;

/** `{ id, offset?, length? }` → base64 text. */
export function readContent(
  request: CallRequest,
  options: { readonly store: ContentStore; readonly resultBytes: number },
): CallOutcome {
  const refuse = (message: string): CallOutcome => ({
    ok: false,
    error: callError("CALL_INVALID_ARGUMENTS", request, message),
  });
  const args = parse(request.argumentsJson);
  const id = own(args, "id");
  const content = typeof id === "string" ? options.store.find(id) : undefined;
  if (content === undefined) return refuse("The handle is not of this run.");
  const { bytes } = content.facts;
  const offset = own(args, "offset") ?? 0;
  const length = own(args, "length") ?? Infinity;
  if (!isSize(offset) || !(length === Infinity || isSize(length)))
    return refuse("offset and length: expected whole numbers, 0 or more");
  const start = Math.min(offset, bytes);
  const size = Math.min(length, bytes - start);
  const most = Math.floor((options.resultBytes - QUOTES) / 4) * 3;
  if (size > most) {
    const text = `${size} bytes are more than one read can have (${Math.max(0, most)}, by the limit resultBytes). Read parts: read({ offset, length }).`;
    return { ok: false, error: callError("CALL_INVALID_RESULT", request, text) };
  }
  const whole = size === bytes;
  const data = whole ? content.data : sliceBase64(content.data, start, size);
  return { ok: true, valueJson: `"${data}"` };
}

/** Undefined for an id that is none of this run's. */
export function emittedContent(store: ContentStore, id: string): EmittedContent | undefined {
  const content = store.find(id);
  if (content === undefined) return undefined;
  const { id: _id, ...facts } = content.facts;
  return { ...facts, data: content.data };
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function parse(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
