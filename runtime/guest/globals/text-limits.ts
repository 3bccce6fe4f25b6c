// Owns how text is cut and quoted for the log: bounded, one line, no broken surrogate pair.
import {
  BigIntToString,
  JSONStringify,
  NumberToString,
  StringCharCodeAt,
  StringIndexOf,
  StringPadStart,
  StringSlice,
} from "../primordials.ts";

/** UTF-16 units of one console call's text; more is cut with a note. */
export const MAX_LINE: number = 1 << 20;

/** A string longer than this is not touched at all: reading one character may copy the whole of it. */
const UNTOUCHABLE = 16 << 20;
const LARGEST_BIGINT = 1n << 4096n;

/** At most `limit` UTF-16 units of `text`, with a note of what is missing. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (text.length > UNTOUCHABLE) return `[string of ${text.length} characters, too long to print]`;
  const unit = StringCharCodeAt(text, limit - 1);
  const kept = unit >= 0xd800 && unit <= 0xdbff ? limit - 1 : limit;
  return `${StringSlice(text, 0, kept)}... ${text.length - kept} more characters`;
}

/** `text` as a JavaScript literal, at most `limit` units of it. */
export function quote(text: string, limit: number): string {
  if (text.length > UNTOUCHABLE) return cutText(text, limit);
  let shown = text;
  let note = "";
  if (text.length > limit) {
    shown = StringSlice(text, 0, limit);
    const left = text.length - limit;
    note = `... ${left} more character${left > 1 ? "s" : ""}`;
  }
  const mark = pickMark(shown);
  // JSON text of the same length: nothing in it needs an escape.
  if (JSONStringify(shown).length === shown.length + 2 && StringIndexOf(shown, mark) === -1) {
    return mark + shown + mark + note;
  }
  return mark + escapeText(shown, mark) + mark + note;
}

function pickMark(text: string): string {
  if (StringIndexOf(text, "'") === -1) return "'";
  if (StringIndexOf(text, '"') === -1) return '"';
  return StringIndexOf(text, "`") === -1 && StringIndexOf(text, "${") === -1 ? "`" : "'";
}

function escapeText(text: string, mark: string): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const escape = escapeUnit(text, i, mark);
    if (escape === "") continue;
    out += StringSlice(text, from, i) + escape;
    from = i + 1;
  }
  return out + StringSlice(text, from);
}

function escapeUnit(text: string, index: number, mark: string): string {
  const unit = StringCharCodeAt(text, index);
  if (unit === 0x0a) return "\\n";
  if (unit === 0x0d) return "\\r";
  if (unit === 0x09) return "\\t";
  if (unit === 0x08) return "\\b";
  if (unit === 0x0c) return "\\f";
  if (unit === 0x5c) return "\\\\";
  if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return `\\x${StringPadStart(hex(unit), 2, "0")}`;
  if (unit === StringCharCodeAt(mark, 0)) return `\\${mark}`;
  if (unit < 0xd800 || unit > 0xdfff) return "";
  const paired =
    unit <= 0xdbff
      ? isBetween(text, index + 1, 0xdc00, 0xdfff)
      : index > 0 && isBetween(text, index - 1, 0xd800, 0xdbff);
  return paired ? "" : `\\u${hex(unit)}`;
}

function isBetween(text: string, index: number, low: number, high: number): boolean {
  const unit = StringCharCodeAt(text, index);
  return unit >= low && unit <= high;
}

const HEX = "0123456789ABCDEF";

function hex(unit: number): string {
  let out = "";
  for (let rest = unit; rest > 0; rest >>= 4) out = (HEX[rest & 15] as string) + out;
  return out === "" ? "0" : out;
}

/** A number as it is written in code: `-0` is kept. */
export function numberText(value: number): string {
  return value === 0 && 1 / value < 0 ? "-0" : NumberToString(value);
}

/** A bigint as it is written in code. Huge ones are not converted: V8 cannot be interrupted while it does that. */
export function bigintText(value: bigint): string {
  if (value > LARGEST_BIGINT || value < -LARGEST_BIGINT) return "[BigInt of more than 1233 digits]";
  return `${BigIntToString(value)}n`;
}

/** `... 3 more items` */
export function moreItems(count: number): string {
  return `... ${NumberToString(count)} more item${count > 1 ? "s" : ""}`;
}

/** Whether `text` is printed as a property name without quotes. */
export function isPlainName(text: string): boolean {
  if (text.length === 0 || text.length > 200) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = StringCharCodeAt(text, i) | 32;
    const raw = StringCharCodeAt(text, i);
    const letter = (unit >= 0x61 && unit <= 0x7a) || raw === 0x5f;
    if (!letter && (i === 0 || raw < 0x30 || raw > 0x39)) return false;
  }
  return true;
}
