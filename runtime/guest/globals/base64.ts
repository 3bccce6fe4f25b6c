// Owns atob and btoa.
import { StringCharCodeAt, StringCtor, StringFromCharCode, StringIndexOf } from "../primordials.ts";
import { newDOMException } from "./dom-exception.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const WHITESPACE = "\t\n\f\r ";

/** Base64 of a string of units 0 to 255. Throws InvalidCharacterError for others. */
export function btoa(data: unknown): string {
  const text = StringCtor(data);
  let out = "";
  for (let i = 0; i < text.length; i += 3) {
    const left = text.length - i;
    const a = byteAt(text, i);
    const b = left > 1 ? byteAt(text, i + 1) : 0;
    const c = left > 2 ? byteAt(text, i + 2) : 0;
    out += (ALPHABET[a >> 2] as string) + (ALPHABET[((a & 3) << 4) | (b >> 4)] as string);
    out += left > 1 ? (ALPHABET[((b & 15) << 2) | (c >> 6)] as string) : "=";
    out += left > 2 ? (ALPHABET[c & 63] as string) : "=";
  }
  return out;
}

function byteAt(text: string, index: number): number {
  const unit = StringCharCodeAt(text, index);
  if (unit <= 255) return unit;
  throw newDOMException(
    "btoa takes characters up to U+00FF; encode other text with TextEncoder first",
    "InvalidCharacterError",
  );
}

/** The reverse of `btoa`; white space and missing padding are accepted. Throws InvalidCharacterError. */
export function atob(data: unknown): string {
  const text = StringCtor(data);
  let out = "";
  let bits = 0;
  let pending = 0;
  let digits = 0;
  let padding = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] as string;
    if (StringIndexOf(WHITESPACE, letter) !== -1) continue;
    if (letter === "=") {
      padding += 1;
      continue;
    }
    const digit = StringIndexOf(ALPHABET, letter);
    if (digit === -1 || padding > 0) throw invalid();
    bits = (bits << 6) | digit;
    digits += 1;
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      out += StringFromCharCode((bits >> pending) & 255);
    }
    bits &= 0xff;
  }
  if (digits % 4 === 1 || (padding > 0 && (padding > 2 || (digits + padding) % 4 !== 0))) throw invalid();
  return out;
}

function invalid(): Error {
  return newDOMException("The text is not correctly encoded base64", "InvalidCharacterError");
}
