// Owns binary content in the isolate: handles in place of data, reading it, and `emit`.
import { decodeBase64, encodeBase64, isBase64 } from "./base64.ts";
import type { Calls } from "./calls.ts";
import { nameFunction, once } from "./globals/define.ts";
import { bytesOf, createTextCodecs } from "./globals/text-codec.ts";
import type { Send } from "./powers.ts";
import {
  globalObject,
  JSONStringify,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectFreeze,
  ObjectKeys,
  ObjectPrototype,
  PromiseReject,
  PromiseThen,
  RangeErrorCtor,
  ReflectApply,
  TypeErrorCtor,
  WeakMapCtor,
  WeakMapGet,
  WeakMapSet,
} from "./primordials.ts";

interface Facts {
  readonly type: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly id: string;
}

interface Part {
  readonly offset?: unknown;
  readonly length?: unknown;
}

export interface Content {
  setLimit(emitBytes: number): void;
  /** The value with a handle at each of `paths`, which the broker gave. */
  revive(value: unknown, paths: unknown): unknown;
}

const NAMESPACE = "catalog";
const READ = "read";
/** As contract/content.ts. */
const MAX_EMITTED = 100;
const MAX_TEXT = 4_000;
const KINDS = ["image", "audio", "resource"] as const;

/** Installs `emit`. */
export function createContent(send: Send, calls: () => Calls): Content {
  const genuine = new WeakMapCtor<object, Facts>();
  let left = 0;
  let count = 0;

  function factsOf(value: unknown): Facts | undefined {
    return typeof value === "object" && value !== null ? (WeakMapGet(genuine, value) as Facts) : undefined;
  }

  function request(handle: unknown, part: Part | undefined, stub: object): Promise<unknown> {
    const facts = factsOf(handle);
    if (facts === undefined) return PromiseReject(new TypeErrorCtor("this is no handle of binary content"));
    const args = ObjectCreate(null);
    args["id"] = facts.id;
    args["offset"] = part?.offset;
    args["length"] = part?.length;
    return calls().call(NAMESPACE, READ, args, stub);
  }

  /** Made with the first handle: most runs have none. */
  const prototypeOf = once(() => {
    const prototype = ObjectCreate(ObjectPrototype);
    const methods = {
      base64(this: unknown, part?: Part): Promise<unknown> {
        return request(this, part, methods.base64);
      },
      read(this: unknown, part?: Part): Promise<unknown> {
        return PromiseThen(request(this, part, methods.read), (data) => decodeBase64(data as string));
      },
      text(this: unknown): Promise<unknown> {
        return PromiseThen(request(this, undefined, methods.text), (data) =>
          decodeText(decodeBase64(data as string)),
        );
      },
    };
    const names = ["base64", "read", "text"] as const;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as (typeof names)[number];
      nameFunction(methods[name], name);
      ObjectDefineProperty(prototype, name, { __proto__: null, value: ObjectFreeze(methods[name]) });
    }
    const constructor = function (): never {
      throw new TypeErrorCtor("Handles of binary content come from tools");
    };
    nameFunction(constructor, "BinaryHandle");
    ObjectDefineProperty(constructor, "prototype", { __proto__: null, value: prototype, writable: false });
    ObjectDefineProperty(prototype, "constructor", { __proto__: null, value: ObjectFreeze(constructor) });
    // What scripts written for plain MCP reach for; silence would be taken for an empty image.
    definePointer(prototype, "data");
    definePointer(prototype, "blob");
    return ObjectFreeze(prototype);
  });

  function handleOf(facts: Facts): object {
    const handle = ObjectCreate(prototypeOf());
    const keys = ObjectKeys(facts);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as keyof Facts;
      ObjectDefineProperty(handle, key, { __proto__: null, value: facts[key], enumerable: true });
    }
    WeakMapSet(genuine, handle, facts);
    return ObjectFreeze(handle);
  }

  function account(bytes: number): void {
    if (count >= MAX_EMITTED)
      throw new RangeErrorCtor(`emit: a run emits at most ${MAX_EMITTED} images or other content`);
    if (bytes > left)
      throw new RangeErrorCtor(
        `emit: ${bytes} bytes are more than the run may still emit (${left}, limit emitBytes)`,
      );
    count += 1;
    left -= bytes;
  }

  function emit(content: unknown): void {
    const facts = factsOf(content);
    if (facts !== undefined) {
      account(facts.bytes);
      send(
        "emit",
        0,
        describe(facts as unknown as Record<string, unknown>, facts.bytes, facts.id),
        "",
        "",
        0,
      );
      return;
    }
    const given = blockOf(content);
    const data = dataOf(given.data);
    const bytes = decodedSize(data);
    account(bytes);
    send("emit", 0, describe(given.facts, bytes, undefined), data, "", 0);
  }
  nameFunction(emit, "emit");
  ObjectDefineProperty(globalObject, "emit", {
    __proto__: null,
    value: emit,
    configurable: true,
    writable: true,
  });

  return {
    setLimit(emitBytes) {
      left = emitBytes;
    },
    revive(value, paths) {
      const list = paths as readonly (readonly (string | number)[])[];
      for (let at = 0; at < list.length; at += 1) {
        const path = list[at] as readonly (string | number)[];
        let holder = value as Record<string | number, unknown>;
        for (let step = 0; step < path.length - 1; step += 1)
          holder = holder[path[step] as string] as Record<string, unknown>;
        const last = path[path.length - 1] as string;
        holder[last] = handleOf(holder[last] as Facts);
      }
      return value;
    },
  };
}

function definePointer(prototype: object, property: string): void {
  ObjectDefineProperty(prototype, property, {
    __proto__: null,
    get(): never {
      throw new TypeErrorCtor(
        `The data is not in the script, so a handle has no ${property}: pass the handle itself to a tool, emit(handle), or await handle.base64()`,
      );
    },
  });
}

interface Block {
  readonly facts: Record<string, unknown>;
  readonly data: unknown;
}

const EXPECTED =
  'emit: expected a handle, or { type: "image" | "audio" | "resource", data: base64 or Uint8Array, mimeType }';

function blockOf(content: unknown): Block {
  if (typeof content !== "object" || content === null) throw new TypeErrorCtor(EXPECTED);
  const { type, data, mimeType, uri, name } = content as Record<string, unknown>;
  let known = false;
  for (let index = 0; index < KINDS.length; index += 1) known ||= KINDS[index] === type;
  if (!known) throw new TypeErrorCtor(EXPECTED);
  return { facts: { type, mimeType, uri, name } as Record<string, unknown>, data };
}

function dataOf(data: unknown): string {
  if (typeof data === "string") {
    if (isBase64(data)) return data;
    throw new TypeErrorCtor("emit: data is not base64 text");
  }
  return encodeBase64(bytesOf(data));
}

function decodedSize(data: string): number {
  const length = data.length;
  const padding = length === 0 || data[length - 1] !== "=" ? 0 : data[length - 2] === "=" ? 2 : 1;
  return (length / 4) * 3 - padding;
}

/** JSON text of what the broker is told besides the data. */
function describe(facts: Record<string, unknown>, bytes: number, id: string | undefined): string {
  const told = ObjectCreate(null);
  // Those of a handle are the broker's, and bounded by it.
  const max = id === undefined ? MAX_TEXT : Infinity;
  told["type"] = facts["type"];
  told["mimeType"] = textOf(facts["mimeType"], "mimeType", max) ?? "application/octet-stream";
  told["bytes"] = bytes;
  told["id"] = id;
  told["uri"] = textOf(facts["uri"], "uri", max);
  told["name"] = textOf(facts["name"], "name", max);
  return JSONStringify(told) ?? "";
}

function textOf(value: unknown, name: string, max: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length <= max) return value;
  throw new TypeErrorCtor(`emit: ${name} is not a text of at most ${max} characters`);
}

let decoder: { readonly decode: (bytes: unknown) => string; readonly self: unknown } | undefined;

function decodeText(bytes: Uint8Array): string {
  if (decoder === undefined) {
    // A class of its own: a script can change the one that it sees.
    const { TextDecoder } = createTextCodecs() as {
      TextDecoder: new () => { decode(bytes: unknown): string };
    };
    const self = new TextDecoder();
    decoder = { decode: self.decode, self };
  }
  return ReflectApply<string>(decoder.decode as never, decoder.self, [bytes]);
}
