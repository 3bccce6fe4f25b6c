// Owns the binary content that a run emits, until its end.
import { z } from "zod";
import {
  base64Bytes,
  isContentId,
  MAX_EMITTED,
  mediaType,
  type BinaryFacts,
  type EmittedContent,
} from "../../contract/content.ts";

export interface Emitted {
  /** Takes one; a text says why no honest guest sends it. */
  add(json: string, data: string): string | undefined;
  list(): readonly EmittedContent[];
}

const text = z.string().max(8_000);
const facts = z.object({
  type: z.enum(["image", "audio", "resource"]),
  mimeType: text,
  bytes: z.int().nonnegative(),
  id: z.string().optional(),
  uri: text.optional(),
  name: text.optional(),
});

/**
 * `find` gives the data of a handle. In a replay there is none: then the handle's own facts stand, without data.
 * `emitBytes` bounds all data together.
 */
export function createEmitted(options: {
  readonly emitBytes: number;
  readonly find: (id: string) => EmittedContent | undefined;
  readonly replay: boolean;
}): Emitted {
  const content: EmittedContent[] = [];
  let bytes = 0;
  return {
    add(json, data) {
      const given = parse(json);
      if (given === undefined) return "content of unknown shape";
      const one = given.id === undefined ? ofScript(given, data) : ofHandle(given, given.id, options);
      if (one === undefined) return "content that it was not given, or that is none";
      bytes += one.bytes;
      // Security: the guest counts both, and a script that is over them gets a RangeError there.
      if (bytes > options.emitBytes || content.length >= MAX_EMITTED)
        return "more content than its limits allow";
      content.push(one);
      return undefined;
    },
    list: () => [...content],
  };
}

type Given = z.infer<typeof facts>;

function ofHandle(
  given: Given,
  id: string,
  { find, replay }: { readonly find: (id: string) => EmittedContent | undefined; readonly replay: boolean },
): EmittedContent | undefined {
  if (!isContentId(id)) return undefined;
  return replay ? described(given, given.bytes) : find(id);
}

function ofScript(given: Given, data: string): EmittedContent | undefined {
  const canonical = Buffer.from(data, "base64").toString("base64") === data;
  return canonical ? { ...described(given, base64Bytes(data)), data } : undefined;
}

function described({ type, mimeType, uri, name }: Given, bytes: number): Omit<BinaryFacts, "id"> {
  return {
    type,
    mimeType: mediaType(mimeType),
    bytes,
    // A script may hold halves of characters, which are an error wherever a text is encoded.
    ...(uri !== undefined && { uri: uri.toWellFormed() }),
    ...(name !== undefined && { name: name.toWellFormed() }),
  };
}

function parse(json: string): Given | undefined {
  try {
    return facts.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
