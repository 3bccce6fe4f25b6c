// Owns the framing between broker and worker: uint32 little-endian length, then JSON text in UTF-8.

/** Largest frame either side accepts, bytes. Above every limit of one argument, result or log line. */
export const MAX_FRAME_BYTES: number = 64 << 20;

const HEADER_BYTES = 4;

export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  frame.writeUInt32LE(body.length, 0);
  body.copy(frame, HEADER_BYTES);
  return frame;
}

/** Gathers what is written within one turn into one system call: call `next` before each write. */
export function corkPerTurn(stream: { cork(): void; uncork(): void }): { next(): void } {
  let corked = false;
  const release = (): void => {
    corked = false;
    stream.uncork();
  };
  return {
    next() {
      if (corked) return;
      corked = true;
      stream.cork();
      process.nextTick(release);
    },
  };
}

export interface FrameDecoder {
  /** Parsed bodies completed by this chunk. Throws on a frame that is too large or not JSON. */
  push(chunk: Buffer): unknown[];
}

export function createFrameDecoder(options: { readonly maxBytes: number }): FrameDecoder {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let wanted = HEADER_BYTES;
  let inBody = false;

  const take = (size: number): Buffer => {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, buffered);
    chunks = all.length === size ? [] : [all.subarray(size)];
    buffered -= size;
    return all.subarray(0, size);
  };

  return {
    push(chunk) {
      chunks.push(chunk);
      buffered += chunk.length;
      const messages: unknown[] = [];
      while (buffered >= wanted) {
        const part = take(wanted);
        if (inBody) {
          messages.push(JSON.parse(part.toString("utf8")));
          wanted = HEADER_BYTES;
        } else {
          wanted = part.readUInt32LE(0);
          // Security: the size is checked before a byte of the body is kept.
          if (wanted > options.maxBytes) throw new RangeError(`frame of ${wanted} bytes`);
        }
        inBody = !inBody;
      }
      return messages;
    },
  };
}
