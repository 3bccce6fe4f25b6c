// Owns the reading of frames from a worker, which may be hostile; contract/frame.ts says what a frame is.
import { MAX_FRAME_BYTES } from "../../contract/frame.ts";

const HEADER_BYTES = 4;
/** Up to this size nothing that a text may hold is dear to parse. */
const SMALL_BYTES = 64 << 10;
/** Brackets, commas and texts of one message; the largest honest one has some 1 500. */
const MOST_PARTS = 4_000;
const KEPT_BYTES = 1 << 20;

export interface FramesOfWorker {
  /** The bodies that this chunk completes, each before the next is looked at. Throws RangeError or SyntaxError. */
  read(chunk: Buffer): Generator<unknown, void, undefined>;
}

export function createFramesOfWorker(): FramesOfWorker {
  let store: Buffer = Buffer.alloc(0);
  let used = 0;

  // Security: one buffer that doubles. A list of chunks costs a hundred times its bytes when they come one by one.
  function keep(bytes: Buffer): void {
    if (used + bytes.length > store.length) {
      const larger = Buffer.allocUnsafe(Math.max(SMALL_BYTES, store.length * 2, used + bytes.length));
      store.copy(larger, 0, 0, used);
      store = larger;
    }
    bytes.copy(store, used);
    used += bytes.length;
  }

  return {
    *read(chunk) {
      const fresh = used === 0;
      if (!fresh) keep(chunk);
      const source = fresh ? chunk : store.subarray(0, used);
      let at = 0;
      while (source.length - at >= HEADER_BYTES) {
        const size = source.readUInt32LE(at);
        if (size > MAX_FRAME_BYTES) throw new RangeError(`frame of ${size} bytes`);
        const end = at + HEADER_BYTES + size;
        if (end > source.length) break;
        yield parse(source.subarray(at + HEADER_BYTES, end));
        at = end;
      }
      if (fresh) keep(chunk.subarray(at));
      else {
        store.copy(store, 0, at, used);
        used -= at;
      }
      if (used === 0 && store.length > KEPT_BYTES) store = Buffer.alloc(0);
    },
  };
}

function parse(body: Buffer): unknown {
  // Security: 64 MB of `{},{},…` parse to gigabytes and hold up the whole broker for seconds.
  if (body.length > SMALL_BYTES && partsOf(body) > MOST_PARTS)
    throw new RangeError("frame of too many parts");
  return JSON.parse(body.toString("utf8"));
}

/** Counts what makes JSON dear to parse, as far as it matters. */
function partsOf(body: Buffer): number {
  let parts = 0;
  let inText = false;
  for (let at = 0; at < body.length && parts <= MOST_PARTS; at += 1) {
    const byte = body[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) {
      inText = true;
      parts += 1;
    } else if (byte === BRACE || byte === BRACKET || byte === COMMA) parts += 1;
  }
  return parts;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
