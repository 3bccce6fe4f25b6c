// Owns reading through the escapes of JSON, so that a value is found and known alike with them and without.

/** A text without its escapes, and where each of its units stands in the original. */
export interface JsonView {
  readonly text: string;
  /** For every unit of `text`, and for its end, the offset in the original. */
  readonly offsets: Uint32Array;
}

const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Undefined when nothing is escaped. A backslash that escapes nothing stands for itself. */
export function withoutEscapes(original: string): JsonView | undefined {
  if (!original.includes("\\")) return undefined;
  const offsets = new Uint32Array(original.length + 1);
  const parts: string[] = [];
  let length = 0;
  let plainFrom = 0;
  for (let i = 0; i < original.length;) {
    const escape = original[i] === "\\" ? readEscape(original, i + 1) : undefined;
    offsets[length++] = i;
    if (escape === undefined) {
      i++;
      continue;
    }
    parts.push(original.slice(plainFrom, i), escape.text);
    i += 1 + escape.units;
    plainFrom = i;
  }
  offsets[length] = original.length;
  parts.push(original.slice(plainFrom));
  return { text: parts.join(""), offsets: offsets.subarray(0, length + 1) };
}

function readEscape(text: string, at: number): { readonly text: string; readonly units: number } | undefined {
  const letter = text[at] ?? "";
  if (Object.hasOwn(SIMPLE, letter)) return { text: SIMPLE[letter]!, units: 1 };
  const code = letter === "u" ? /^[0-9a-fA-F]{4}$/.exec(text.slice(at + 1, at + 5)) : null;
  return code === null ? undefined : { text: String.fromCharCode(Number.parseInt(code[0], 16)), units: 5 };
}
