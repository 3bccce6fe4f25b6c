// Owns one line of an audit file: its text, its place in the chain, and whether it is what was written.
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";

/** `prev` of the first line. */
export const NO_LINE: string = "0".repeat(64);
/** No line is longer, bytes. */
export const MAX_LINE_BYTES: number = 4 << 20;

const SUM_LENGTH = 16;
const HASH = /^[0-9a-f]{64}$/;
const TAIL = /,"sum":"([0-9a-f]{16})"\}$/;

/** SHA-256 in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** What stands in place of bytes that a crash left behind. */
export interface TornLine {
  readonly type: "log.torn";
  readonly at: string;
  /** Size of all that is not a line, with the line feed that ends it. */
  readonly bytes: number;
  readonly sha256: string;
}

/** `{"n":…,"at":…,"prev":…, facts…,"sum":…}`; `sum` is the start of the SHA-256 of the text before it. */
export function formatLine(n: number, prev: string, facts: { readonly at: string }): string {
  const { at, ...rest } = facts;
  const text = JSON.stringify({ n, at, prev, ...rest }).slice(0, -1);
  return `${text},"sum":"${sumOf(text)}"}`;
}

export interface ParsedLine {
  readonly n: number;
  readonly prev: string;
  readonly facts: JsonObject;
  /** False when the text is not the one that was written. */
  readonly intact: boolean;
}

/** Undefined for what is no line of a log. */
export function parseLine(bytes: Buffer): ParsedLine | undefined {
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { n, prev, sum: _, ...facts } = value;
  if (!Number.isSafeInteger(n) || typeof prev !== "string" || !HASH.test(prev)) return undefined;
  const tail = TAIL.exec(text);
  // Bytes that are no UTF-8 read as U+FFFD, so two texts could be one: the bytes themselves are compared.
  const intact =
    tail !== null && tail[1] === sumOf(text.slice(0, tail.index)) && Buffer.from(text).equals(bytes);
  return { n: n as number, prev, facts, intact };
}

function sumOf(text: string): string {
  return sha256(text).slice(0, SUM_LENGTH);
}
