// Owns the cutting of a byte stream into lines of bounded length.

const NEWLINE = 0x0a;
const EDGE_BYTES = 512;

export interface LineReader {
  push(chunk: Buffer): void;
}

/**
 * Calls `onLine` with each complete line, without its line break. A line of more than `maxBytes` is skipped as it
 * streams by; then `onOversize` gets its first and last bytes.
 */
export function createLineReader(options: {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  readonly onOversize: (head: string, tail: string) => void;
}): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let skipped: { readonly head: Buffer; tail: Buffer } | undefined;
  const take = (part: Buffer): void => {
    if (skipped !== undefined) {
      skipped.tail = Buffer.concat([skipped.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
      return;
    }
    parts.push(part);
    bytes += part.length;
    if (bytes <= options.maxBytes) return;
    const whole = Buffer.concat(parts);
    skipped = {
      head: Buffer.from(whole.subarray(0, EDGE_BYTES)),
      tail: Buffer.from(whole.subarray(-EDGE_BYTES)),
    };
    parts = [];
    bytes = 0;
  };
  const finish = (): void => {
    if (skipped !== undefined) {
      const { head, tail } = skipped;
      skipped = undefined;
      options.onOversize(head.toString("utf8"), tail.toString("utf8"));
      return;
    }
    const line = Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    options.onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
  };
}
