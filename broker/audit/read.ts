// Owns reading an audit file from the start, line by line, in memory of one line.
import { createReadStream } from "node:fs";
import { CallgateError } from "../../contract/error.ts";
import { quoted } from "../plain-text.ts";
import { MAX_LINE_BYTES } from "./line.ts";

export interface RawLine {
  readonly bytes: Buffer;
  /** False for a last line without its line feed. */
  readonly ended: boolean;
  /** The line is longer than any line of a log; `bytes` is its start. Nothing follows. */
  readonly tooLong: boolean;
}

const LINE_FEED = 0x0a;

/** Throws CONFIG_INVALID when the file cannot be read. */
export async function* readLines(path: string): AsyncGenerator<RawLine, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const stream = createReadStream(path, { highWaterMark: 256 << 10 });
  try {
    for await (const piece of stream) {
      const chunk = piece as Buffer;
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        const rest = chunk.subarray(from, at);
        const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
        yield { bytes, ended: true, tooLong: false };
        parts = [];
        length = 0;
        from = at + 1;
      }
      if (from === chunk.length) continue;
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_LINE_BYTES) {
        yield { bytes: Buffer.concat(parts), ended: false, tooLong: true };
        return;
      }
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CallgateError("CONFIG_INVALID", `${quoted(path, 200)} cannot be read: ${code ?? message}`, {
      cause: error,
    });
  } finally {
    stream.destroy();
  }
  if (length > 0) yield { bytes: Buffer.concat(parts), ended: false, tooLong: false };
}
