// Owns TextEncoder and TextDecoder (utf-8), made at first use.
import {
  ArrayBufferByteLength,
  ArrayBufferIsView,
  DataViewBuffer,
  DataViewByteLength,
  DataViewByteOffset,
  RangeErrorCtor,
  ReflectApply,
  StringCharCodeAt,
  StringCtor,
  StringFromCharCode,
  StringIndexOf,
  StringToLowerCase,
  StringTrim,
  TypeErrorCtor,
  TypedArrayBuffer,
  TypedArrayByteLength,
  TypedArrayByteOffset,
  TypedArrayName,
  Uint8ArrayCtor,
  append,
  safeList,
} from "../primordials.ts";
import { quote } from "./text-limits.ts";

const REPLACEMENT = 0xfffd;
const CHUNK = 8_192;
const LABELS = " utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 ";

/** The bytes of a buffer or of any view on one, not copied. Throws TypeError for anything else. */
export function bytesOf(data: unknown): Uint8Array<ArrayBuffer> {
  if (!ArrayBufferIsView(data)) {
    try {
      return new Uint8ArrayCtor(data as ArrayBuffer, 0, ArrayBufferByteLength(data));
    } catch {
      throw new TypeErrorCtor("expected an ArrayBuffer, a typed array or a DataView");
    }
  }
  if (TypedArrayName(data) === undefined) {
    return new Uint8ArrayCtor(DataViewBuffer(data), DataViewByteOffset(data), DataViewByteLength(data));
  }
  return new Uint8ArrayCtor(TypedArrayBuffer(data), TypedArrayByteOffset(data), TypedArrayByteLength(data));
}

/** The code point at `index`; lone surrogates become U+FFFD. Above U+FFFF it takes two units. */
function pointAt(text: string, index: number): number {
  const unit = StringCharCodeAt(text, index);
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const low = unit <= 0xdbff ? StringCharCodeAt(text, index + 1) : 0;
  return low >= 0xdc00 && low <= 0xdfff ? ((unit - 0xd800) << 10) + (low - 0xdc00) + 0x10000 : REPLACEMENT;
}

function widthOf(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** Writes as many whole characters as fit; returns units read and bytes written. */
function encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
  let read = 0;
  let written = 0;
  while (read < text.length) {
    const point = pointAt(text, read);
    const width = widthOf(point);
    if (written + width > bytes.length) break;
    if (width === 1) bytes[written] = point;
    else {
      bytes[written] = (width === 2 ? 0xc0 : width === 3 ? 0xe0 : 0xf0) | (point >> (6 * (width - 1)));
      for (let i = 1; i < width; i++) bytes[written + i] = 0x80 | ((point >> (6 * (width - 1 - i))) & 0x3f);
    }
    written += width;
    read += width === 4 ? 2 : 1;
  }
  return { read, written };
}

function isLabel(name: string): boolean {
  return StringIndexOf(name, " ") === -1 && StringIndexOf(LABELS, ` ${name} `) !== -1;
}

/** Makes both classes. */
export function createTextCodecs(): Readonly<Record<string, unknown>> {
  class TextEncoder {
    get encoding(): string {
      return "utf-8";
    }
    encode(input: unknown = ""): Uint8Array {
      const text = StringCtor(input);
      let size = 0;
      for (let i = 0; i < text.length; i++) {
        const width = widthOf(pointAt(text, i));
        if (width === 4) i += 1;
        size += width;
      }
      const bytes = new Uint8ArrayCtor(size);
      encodeInto(text, bytes);
      return bytes;
    }
    encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
      if (TypedArrayName(destination) !== "Uint8Array")
        throw new TypeErrorCtor("encodeInto writes into a Uint8Array");
      return encodeInto(StringCtor(source), bytesOf(destination));
    }
  }

  class TextDecoder {
    readonly #fatal: boolean;
    readonly #ignoreBOM: boolean;
    // The character that is being read: bits so far, bytes missing, and the bounds of its next byte.
    #point = 0;
    #missing = 0;
    #low = 0x80;
    #high = 0xbf;
    #atStart = true;
    #streaming = false;

    constructor(
      label: unknown = "utf-8",
      options?: { readonly fatal?: unknown; readonly ignoreBOM?: unknown },
    ) {
      const name = StringToLowerCase(StringTrim(StringCtor(label)));
      if (name === "" || !isLabel(name)) {
        throw new RangeErrorCtor(`TextDecoder reads utf-8 only (got ${quote(name, 40)})`);
      }
      this.#fatal = options?.fatal ? true : false;
      this.#ignoreBOM = options?.ignoreBOM ? true : false;
    }
    get encoding(): string {
      return "utf-8";
    }
    get fatal(): boolean {
      return this.#fatal;
    }
    get ignoreBOM(): boolean {
      return this.#ignoreBOM;
    }
    decode(input?: unknown, options?: { readonly stream?: unknown }): string {
      if (!this.#streaming) this.#reset();
      this.#streaming = options?.stream ? true : false;
      const bytes = input === undefined ? new Uint8ArrayCtor(0) : bytesOf(input);
      let out = "";
      let units = safeList<number>();
      const flush = (): void => {
        out += ReflectApply<string>(StringFromCharCode, undefined, units);
        units = safeList();
      };
      const emit = (point: number): void => {
        if (point === 0xfeff && this.#atStart && !this.#ignoreBOM) {
          this.#atStart = false;
          return;
        }
        this.#atStart = false;
        if (point < 0x10000) append(units, point);
        else {
          append(units, 0xd800 + ((point - 0x10000) >> 10));
          append(units, 0xdc00 + ((point - 0x10000) & 0x3ff));
        }
        if (units.length >= CHUNK) flush();
      };
      for (let i = 0; i < bytes.length; i++) {
        // A byte that breaks off a character is read again as the start of the next one.
        if (this.#read(bytes[i] as number, emit)) i -= 1;
      }
      if (!this.#streaming && this.#missing > 0) {
        this.#missing = 0;
        this.#fail(emit);
      }
      flush();
      return out;
    }
    #reset(): void {
      this.#missing = 0;
      this.#atStart = true;
    }
    #fail(emit: (point: number) => void): void {
      if (!this.#fatal) {
        emit(REPLACEMENT);
        return;
      }
      this.#streaming = false;
      throw new TypeErrorCtor("The encoded data was not valid utf-8");
    }
    #read(byte: number, emit: (point: number) => void): boolean {
      if (this.#missing === 0) {
        if (byte < 0x80) emit(byte);
        else if (byte >= 0xc2 && byte <= 0xf4) this.#lead(byte);
        else this.#fail(emit);
        return false;
      }
      const fits = byte >= this.#low && byte <= this.#high;
      this.#low = 0x80;
      this.#high = 0xbf;
      if (!fits) {
        this.#missing = 0;
        this.#fail(emit);
        return true;
      }
      this.#point = (this.#point << 6) | (byte & 0x3f);
      this.#missing -= 1;
      if (this.#missing === 0) emit(this.#point);
      return false;
    }
    #lead(byte: number): void {
      this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      this.#point = byte & (0x3f >> this.#missing);
      this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
      this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    }
  }
  return { TextEncoder, TextDecoder };
}
