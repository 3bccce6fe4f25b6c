// Owns turning a parsed script into JavaScript that runs, with every column kept.
import { Script } from "node:vm";
import { blankSourceFile } from "ts-blank-space";
import { WRAPPER } from "../../contract/compile.ts";
import type { Finding } from "./finding.ts";
import { type ParsedScript, scriptOffset } from "./program.ts";

/** What may be put around the erased script, on the wrapper's own lines, and into it at the end of a line. */
export interface Surroundings {
  readonly before: string;
  readonly after: string;
  /** `offset` is one of the script. */
  readonly insert?: { readonly offset: number; readonly text: string };
}

export type Stripped =
  | { readonly code: string; readonly finding?: undefined }
  | { readonly code?: undefined; readonly finding: Finding };

// Creating a function parses its text as exactly one body, and runs none of it.
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  body: string,
) => unknown;

/** Erases the types. The script must have passed `syntaxFindings` and `unsupportedFindings`. */
export function stripTypes(parsed: ParsedScript, around: Surroundings = { before: "", after: "" }): Stripped {
  const { script, source } = parsed;
  let notErasable: number | undefined;
  const blanked = blankSourceFile(source, (node) => (notErasable ??= node.getStart(source)));
  if (notErasable !== undefined) {
    return {
      finding: {
        severity: "error",
        code: "SCRIPT_UNSUPPORTED_SYNTAX",
        message: "This type annotation cannot be erased without changing what the expression means.",
        offset: scriptOffset(notErasable),
        suggestion: "Put parentheses around `value as T`.",
      },
    };
  }
  const erased = blanked.slice(WRAPPER.checked.before.length, blanked.length - WRAPPER.checked.after.length);
  if (!onlyErased(script, erased)) throw new Error("erasing the types changed more than types");
  const { offset, text } = around.insert ?? { offset: 0, text: "" };
  const body = erased.slice(0, offset) + text + erased.slice(offset);
  const [first = "", ...rest] = WRAPPER.runnable.before.split("\n");
  const code = `${first}${around.before}\n${rest.join("\n")}${body}${around.after}${WRAPPER.runnable.after}`;
  const finding = refusedByEngine(script, code, `${around.before}\n${body}${around.after}\n`);
  return finding === undefined ? { code } : { finding };
}

// Security: whatever the stripper does, it may only have replaced characters by blanks and the three marks it
// uses to keep the program's meaning, and must have kept every line where it was.
function onlyErased(before: string, after: string): boolean {
  if (before.length !== after.length) return false;
  if (before === after) return true;
  for (let i = 0; i < before.length; i += 1) {
    const a = before.charCodeAt(i);
    const b = after.charCodeAt(i);
    if (a === b) continue;
    if (a === 10 || !(b === 32 || b === 40 || b === 41 || b === 59)) return false;
  }
  return true;
}

/** The engine's own early errors, which TypeScript does not all know. */
function refusedByEngine(script: string, code: string, body: string): Finding | undefined {
  try {
    new Script(code, { filename: "script.ts" });
  } catch (error) {
    return syntaxFinding(script, error);
  }
  try {
    // Security: the engine itself confirms that the script is the body of one function and does not leave it.
    new AsyncFunction(`"use strict"; ${body}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined;
    return {
      severity: "error",
      code: "SCRIPT_SYNTAX",
      message: "The script closes a function that it did not open.",
      offset: 0,
    };
  }
  return undefined;
}

const SUGGESTIONS: readonly (readonly [RegExp, string])[] = [
  [
    /^await is only valid/,
    "Put `async` in front of the function around it, or use `for (const x of xs) { await ... }`.",
  ],
  [/has already been declared$/, "Rename one of the two, or assign to the first without `const` or `let`."],
];

/** V8 tells the place of a syntax error only in the stack: `script.ts:LINE`, the line, and carets below it. */
function syntaxFinding(script: string, error: unknown): Finding {
  const { message, stack = "" } = error instanceof Error ? error : { message: String(error) };
  const [head = "", , carets = ""] = stack.split("\n", 3);
  const line = Number(/^script\.ts:(\d+)$/.exec(head)?.[1] ?? 0) - WRAPPER.lines;
  const column = Math.max(0, carets.indexOf("^"));
  const suggestion = SUGGESTIONS.find(([pattern]) => pattern.test(message))?.[1];
  let offset = 0;
  for (let n = 1; n < line; n += 1) offset = script.indexOf("\n", offset) + 1;
  return {
    severity: "error",
    code: "SCRIPT_SYNTAX",
    message: `${message}${/[.!?]$/.test(message) ? "" : "."}`,
    ...(suggestion === undefined ? {} : { suggestion }),
    offset: line < 1 ? 0 : Math.min(offset + column, script.length),
  };
}
