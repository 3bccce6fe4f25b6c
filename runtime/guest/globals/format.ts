// Owns how console arguments become one line (or block) of text.
import {
  JSONStringify,
  NumberCtor,
  NumberParseFloat,
  NumberParseInt,
  StringCharCodeAt,
  StringSlice,
  MathTrunc,
} from "../primordials.ts";
import { Inspection } from "./inspect.ts";
import { MAX_LINE, bigintText, cutText, numberText } from "./text-limits.ts";

/** Nested levels printed. */
const MAX_DEPTH = 6;
/** UTF-16 units of the text of one structure. */
const MAX_STRUCTURE = 1 << 18;
const PERCENT = 0x25;

/**
 * The printed form of a value, like Node's `util.inspect`: 6 levels, 100 items, 200 properties, strings of 10 000 units,
 * 262 144 units in total. Runs no code of the value: getters are named, proxies print as their targets. Never throws,
 * except when the stack is already used up.
 */
export function formatValue(value: unknown): string {
  return formatDeep(value, MAX_DEPTH);
}

/** `formatValue` down to `depth` levels. */
export function formatDeep(value: unknown, depth: number): string {
  return cutText(new Inspection(depth, MAX_STRUCTURE).value(value, 0, 0), MAX_LINE);
}

/** The text of one console call: `%s %d %i %f %j %o %O %c %%` in a leading string, then the rest separated by spaces. */
export function formatArguments(args: readonly unknown[]): string {
  let out = "";
  let used = 0;
  const first = args.length > 1 ? args[0] : undefined;
  if (typeof first === "string" && first.length <= MAX_LINE) {
    used = 1;
    let from = 0;
    for (let i = 0; i < first.length - 1; i++) {
      if (StringCharCodeAt(first, i) !== PERCENT) continue;
      const letter = first[i + 1] as string;
      if (letter !== "%" && used >= args.length) continue;
      const text = letter === "%" ? "%" : substitute(letter, args[used]);
      if (text === undefined) continue;
      if (letter !== "%") used += 1;
      out += StringSlice(first, from, i) + text;
      from = i + 2;
      i += 1;
    }
    out += StringSlice(first, from);
  }
  for (let i = used; i < args.length; i++) {
    if (out.length > MAX_LINE) break;
    const arg = args[i];
    out += (i === 0 ? "" : " ") + (typeof arg === "string" ? cutText(arg, MAX_LINE) : formatValue(arg));
  }
  return cutText(out, MAX_LINE);
}

function substitute(letter: string, arg: unknown): string | undefined {
  switch (letter) {
    case "s":
      return plainText(arg);
    case "d":
      return typeof arg === "bigint" ? bigintText(arg) : numberText(toNumber(arg));
    case "i":
      if (typeof arg === "bigint") return bigintText(arg);
      return numberText(
        typeof arg === "string" ? NumberParseInt(cutText(arg, 1_000), 10) : MathTrunc(toNumber(arg)),
      );
    case "f":
      return numberText(typeof arg === "string" ? NumberParseFloat(cutText(arg, 1_000)) : toNumber(arg));
    case "j":
      return jsonText(arg);
    case "o":
    case "O":
      return formatValue(arg);
    case "c":
      return "";
    default:
      return undefined;
  }
}

function plainText(arg: unknown): string {
  return typeof arg === "string" ? cutText(arg, MAX_LINE) : formatDeep(arg, 1);
}

// Objects are NaN: converting them would run their `valueOf`.
function toNumber(arg: unknown): number {
  if (typeof arg === "number") return arg;
  if (typeof arg === "string") return arg.length > 1_000 ? NaN : NumberCtor(arg);
  if (typeof arg === "boolean") return arg ? 1 : 0;
  return arg === null ? 0 : NaN;
}

function jsonText(arg: unknown): string {
  try {
    const text: unknown = JSONStringify(arg);
    return typeof text === "string" ? cutText(text, MAX_LINE) : "undefined";
  } catch {
    return "[not JSON]";
  }
}
