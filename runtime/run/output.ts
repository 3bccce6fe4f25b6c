// Owns what a run logged: the head and the tail within a budget, cut in the middle, said at the start.
import { byteLength } from "../../contract/json.ts";

export interface Output {
  add(line: string): void;
  /** Bytes logged, cut ones included. */
  readonly loggedBytes: number;
  result(): { readonly output: string; readonly outputTruncated: boolean };
}

/** Cuts to at most `units` UTF-16 units, never inside a surrogate pair. */
export function cutHead(text: string, units: number): string {
  if (text.length <= units) return text;
  const code = text.charCodeAt(units - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? units - 1 : units);
}

/** Keeps the last `units` UTF-16 units, never starting inside a surrogate pair. */
export function cutTail(text: string, units: number): string {
  if (text.length <= units) return text;
  const start = text.length - units;
  const code = text.charCodeAt(start);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? start + 1 : start);
}

/** `outputBytes` bounds head and tail together. Security: a line is redacted before it can be cut in two. */
export function createOutput(outputBytes: number, redact: (text: string) => string = (text) => text): Output {
  const half = Math.floor(outputBytes / 2);
  let lines: string[] = [];
  let keptBytes = 0;
  let head: string | undefined;
  let tail = "";
  let loggedBytes = 0;
  let shownBytes = 0;

  function spill(): void {
    const all = lines.join("\n");
    head = cutBytes(all, half, cutHead);
    tail = cutBytes(all, half, cutTail);
    lines = [];
  }

  return {
    add(written) {
      loggedBytes += byteLength(written) + 1;
      const line = redact(written);
      const bytes = byteLength(line) + 1;
      shownBytes += bytes;
      if (head === undefined) {
        lines.push(line);
        keptBytes += bytes;
        if (keptBytes > outputBytes + 1) spill();
      } else {
        // Twice the half is kept so that the tail is cut now and then, not for every line.
        tail = `${tail}\n${line}`;
        if (tail.length > outputBytes * 2) tail = cutBytes(tail, half, cutTail);
      }
    },
    get loggedBytes() {
      return loggedBytes;
    },
    result() {
      if (head === undefined) return { output: lines.join("\n"), outputTruncated: false };
      const end = cutBytes(tail, half, cutTail);
      const missing = Math.max(0, shownBytes - 1 - byteLength(head) - byteLength(end));
      const note = `[output cut: ${missing} of ${shownBytes - 1} bytes are missing in the middle; log less]`;
      return { output: `${note}\n${head}\n[… ${missing} bytes cut …]\n${end}`, outputTruncated: true };
    },
  };
}

function cutBytes(text: string, bytes: number, cut: (text: string, units: number) => string): string {
  let result = cut(text, bytes);
  while (byteLength(result) > bytes)
    result = cut(result, Math.floor((result.length * bytes) / byteLength(result)));
  return result;
}
