// Owns reading JSON text that somebody hostile may have written.
import type { JsonValue } from "../contract/json.ts";
import { quoted } from "./plain-text.ts";

/** Deepest nesting that is read. */
export const MAX_JSON_DEPTH: number = 500;

export type JsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

/**
 * Parses JSON text in which every reader sees the same value: no property twice in one object, no number beyond the
 * range of a double, nested at most 500 deep. `__proto__` stays an ordinary own property. Time is linear.
 */
export function readJson(text: string): JsonReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: "not JSON" };
  }
  const fault = findFault(text);
  return fault === undefined ? { ok: true, value: value as JsonValue } : { ok: false, message: fault };
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

// Runs over text that JSON.parse accepted, so it may trust the grammar.
function findFault(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys !== undefined && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (keys.has(key)) return `has the property ${quoted(key, 40)} twice`;
        keys.add(key);
      }
      at = end;
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const end = endOfNumber(text, at);
      if (!Number.isFinite(Number(text.slice(at, end)))) return "has a number too large for a double";
      at = end;
    } else {
      if (unit === OPEN_OBJECT) open.push(new Set());
      else if (unit === OPEN_ARRAY) open.push(undefined);
      else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) open.pop();
      if (open.length > MAX_JSON_DEPTH) return `is nested more than ${MAX_JSON_DEPTH} deep`;
      at++;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) {
    at += unit === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && "0123456789+-.eE".includes(text[at]!)) at++;
  return at;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
  return text[at] === ":";
}
