// Owns base64 of bytes, for content that passes the isolate's border.
import { once } from "./globals/define.ts";
import { StringCharCodeAt, StringFromCharCode, TypedArrayLength, Uint8ArrayCtor } from "./primordials.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NONE = 255;
const PAD = 61;

/** Made at first use: most runs have no binary content. */
const digitsOf = once(() => {
  const digits = new Uint8ArrayCtor(128);
  for (let code = 0; code < 128; code += 1) digits[code] = NONE;
  for (let index = 0; index < 64; index += 1) digits[StringCharCodeAt(ALPHABET, index)] = index;
  return digits;
});

/** Bytes of canonical base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const digits = digitsOf();
  const length = text.length;
  const padding = length === 0 ? 0 : paddingOf(text);
  const bytes = new Uint8ArrayCtor((length / 4) * 3 - padding);
  let to = 0;
  for (let at = 0; at < length; at += 4) {
    const word =
      ((digits[StringCharCodeAt(text, at)] as number) << 18) |
      ((digits[StringCharCodeAt(text, at + 1)] as number) << 12) |
      (((digits[StringCharCodeAt(text, at + 2)] as number) & 63) << 6) |
      ((digits[StringCharCodeAt(text, at + 3)] as number) & 63);
    // Beyond the end a typed array takes nothing.
    bytes[to] = word >> 16;
    bytes[to + 1] = word >> 8;
    bytes[to + 2] = word;
    to += 3;
  }
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  const length = TypedArrayLength(bytes);
  for (let at = 0; at < length; at += 3) {
    const word = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += StringFromCharCode(
      StringCharCodeAt(ALPHABET, word >> 18),
      StringCharCodeAt(ALPHABET, (word >> 12) & 63),
      at + 1 < length ? StringCharCodeAt(ALPHABET, (word >> 6) & 63) : PAD,
      at + 2 < length ? StringCharCodeAt(ALPHABET, word & 63) : PAD,
    );
  }
  return text;
}

/** True for canonical base64: padded, and no stray bits in the last digit. */
export function isBase64(text: string): boolean {
  const { length } = text;
  if (length % 4 !== 0) return false;
  if (length === 0) return true;
  const digits = digitsOf();
  const end = length - paddingOf(text);
  for (let at = 0; at < end; at += 1) {
    const code = StringCharCodeAt(text, at);
    if (code >= 128 || digits[code] === NONE) return false;
  }
  const last = digits[StringCharCodeAt(text, end - 1)] as number;
  const stray = length - end === 2 ? 15 : length - end === 1 ? 3 : 0;
  return (last & stray) === 0;
}

function paddingOf(text: string): number {
  const { length } = text;
  if (StringCharCodeAt(text, length - 1) !== PAD) return 0;
  return StringCharCodeAt(text, length - 2) === PAD ? 2 : 1;
}
