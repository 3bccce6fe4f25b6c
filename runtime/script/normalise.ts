// Owns what is taken off a script before anything parses it: byte order mark, CRLF, code fence, shebang.
import { CallgateError } from "../../contract/error.ts";

export interface NormalisedScript {
  /** Lines end in LF; columns are those of the script as written. */
  readonly text: string;
  /** Add to a line of `text` to get the line of the script as written. */
  readonly lineOffset: number;
  /** What was taken off, in words. */
  readonly notes: readonly string[];
}

const OPENING = /^(`{3,}|~{3,})[ \t]*[\w+#.-]{0,20}[ \t]*$/;

/**
 * Takes off what models and editors put around a script. Whatever needs a parser (`export default`, an uncalled
 * `main`) is the compiler's. Pure.
 * @throws CallgateError SCRIPT_SYNTAX for a script with nothing in it, or with text after its code fence.
 */
export function normaliseScript(script: string): NormalisedScript {
  const notes: string[] = [];
  let text = script;
  if (text.startsWith("\uFEFF")) {
    text = text.replace(/^\uFEFF+/, "");
    notes.push("byte order mark removed");
  }
  if (text.includes("\r")) {
    text = text.replace(/\r\n?/g, "\n");
    notes.push("line ends changed to LF");
  }
  const fence = withoutFence(text);
  let lineOffset = 0;
  if (fence !== undefined) {
    ({ text, lineOffset } = fence);
    notes.push("code fence removed");
  }
  if (text.startsWith("#!")) {
    const end = text.indexOf("\n");
    text = end === -1 ? "" : text.slice(end);
    notes.push("shebang removed");
  }
  if (text.trim() === "") {
    throw new CallgateError("SCRIPT_SYNTAX", "The script is empty: write at least one statement.", {
      data: { line: 1, column: 1 },
    });
  }
  return { text, lineOffset, notes };
}

/** The inside of a fence that encloses the whole script; undefined when there is none. */
function withoutFence(text: string): { text: string; lineOffset: number } | undefined {
  const start = text.search(/\S/);
  if (start === -1 || (text[start] !== "`" && text[start] !== "~")) return undefined;
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  const mark = OPENING.exec((lines[first] ?? "").trim())?.[1];
  if (mark === undefined) return undefined;
  const last = lines.findLastIndex((line) => {
    const trimmed = line.trim();
    return trimmed.length >= mark.length && trimmed === (mark[0] as string).repeat(trimmed.length);
  });
  // A cut-off answer has no closing fence; what follows the opening one is still the script.
  if (last <= first) return { text: lines.slice(first + 1).join("\n"), lineOffset: first + 1 };
  const after = lines.findIndex((line, index) => index > last && line.trim() !== "");
  if (after !== -1) {
    throw new CallgateError(
      "SCRIPT_SYNTAX",
      `Line ${after + 1} follows the end of the code fence: send the code only, without text around it.`,
      { data: { line: after + 1, column: 1 } },
    );
  }
  return { text: lines.slice(first + 1, last).join("\n"), lineOffset: first + 1 };
}
