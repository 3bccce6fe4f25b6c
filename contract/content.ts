// Owns binary content: what a script holds instead of the data, and what a run returns of it.

export type BinaryKind = "image" | "audio" | "resource";

/** A handle as JSON: it stands for data that stays in the broker. Untrusted texts of a server, bounded. */
export interface BinaryFacts {
  readonly type: BinaryKind;
  readonly mimeType: string;
  /** Size of the data. */
  readonly bytes: number;
  /** Names the data to the run that was given it, and to no other. */
  readonly id: string;
  readonly uri?: string;
  readonly name?: string;
}

/** Binary content that a script emitted. `data` is base64; absent in a replay when it was a server's. */
export interface EmittedContent extends Omit<BinaryFacts, "id"> {
  readonly data?: string;
}

/** Where a handle is in a value: property names and indexes. */
export type ValuePath = readonly (string | number)[];

/** The call of Callgate's own server by which a script reads data: `{ id, offset?, length? }` → base64. */
export const READ_CONTENT = "content/read";

const ID_PREFIX = "content_";
const SOME_ID: RegExp = /content_[0-9a-f]{32}/;
const ID: RegExp = /^content_[0-9a-f]{32}$/;

/** Whether a JSON text may hold a handle. */
export function mayHoldHandles(json: string): boolean {
  return json.includes(ID_PREFIX) && SOME_ID.test(json);
}

export function isContentId(value: unknown): value is string {
  return typeof value === "string" && value.length === ID_PREFIX.length + 32 && ID.test(value);
}

/** `digits`: 32 hexadecimal ones that nobody can guess. */
export function contentId(digits: string): string {
  return `${ID_PREFIX}${digits}`;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?: ?; ?[\x20-\x7e]{1,200})?$/;

/** A media type as it is, or what stands for one that is none. Security: it reaches terminals and headers. */
export function mediaType(value: unknown): string {
  return typeof value === "string" && MEDIA_TYPE.test(value) ? value : "application/octet-stream";
}

/** Blocks that one run can emit. */
export const MAX_EMITTED = 100;

/** Decoded size of canonical base64 text. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
