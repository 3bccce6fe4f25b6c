// Owns crypto: randomUUID and getRandomValues from the seeded stream. It has no secrets: a run can be replayed.
import {
  ObjectCreate,
  ObjectFreeze,
  PromiseReject,
  StringIndexOf,
  TypeErrorCtor,
  TypedArrayName,
  globalObject,
} from "../primordials.ts";
import { defineValue } from "./define.ts";
import { newDOMException } from "./dom-exception.ts";
import type { RandomStream } from "./random.ts";
import { bytesOf } from "./text-codec.ts";

/** Bytes that one call of getRandomValues fills. */
const QUOTA_BYTES = 65_536;
const HEX = "0123456789abcdef";
const INTEGER_ARRAYS =
  " Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array ";
const SUBTLE_METHODS = [
  "decrypt",
  "deriveBits",
  "deriveKey",
  "digest",
  "encrypt",
  "exportKey",
  "generateKey",
  "importKey",
  "sign",
  "unwrapKey",
  "verify",
  "wrapKey",
];

/** Defines crypto on globalThis. */
export function installCrypto(stream: RandomStream): void {
  const crypto = {
    getRandomValues(view: unknown): unknown {
      const name = TypedArrayName(view);
      if (name === undefined) throw new TypeErrorCtor("getRandomValues fills a typed array of integers");
      if (StringIndexOf(INTEGER_ARRAYS, ` ${name} `) === -1) {
        throw newDOMException(`getRandomValues does not fill a ${name}`, "TypeMismatchError");
      }
      const bytes = bytesOf(view);
      if (bytes.length > QUOTA_BYTES) {
        throw newDOMException(
          `getRandomValues fills ${QUOTA_BYTES} bytes at most (got ${bytes.length})`,
          "QuotaExceededError",
        );
      }
      let word = 0;
      for (let i = 0; i < bytes.length; i++) {
        word = i % 4 === 0 ? stream.next() : word >>> 8;
        bytes[i] = word;
      }
      return view;
    },
    randomUUID(): string {
      let out = "";
      let word = 0;
      for (let i = 0; i < 32; i++) {
        word = i % 8 === 0 ? stream.next() : word >>> 4;
        if (i === 8 || i === 12 || i === 16 || i === 20) out += "-";
        const digit = i === 12 ? 4 : i === 16 ? (word & 3) | 8 : word & 15;
        out += HEX[digit] as string;
      }
      return out;
    },
    subtle: createSubtle(),
  };
  defineValue(globalObject, "crypto", crypto);
}

// There for the sentence only: without it a script would meet "cannot read properties of undefined".
function createSubtle(): object {
  const subtle = ObjectCreate(null);
  for (let i = 0; i < SUBTLE_METHODS.length; i++) {
    const name = SUBTLE_METHODS[i] as string;
    subtle[name] = (): Promise<never> =>
      PromiseReject(
        newDOMException(
          `crypto.subtle.${name} is not available in a script; call a tool that does it, if there is one`,
          "NotSupportedError",
        ),
      );
  }
  return ObjectFreeze(subtle);
}
