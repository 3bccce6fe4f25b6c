// Owns where in the script a stub was called.
import {
  ErrorCaptureStackTrace,
  NumberParseInt,
  ObjectCreate,
  StringCharCodeAt,
  StringIndexOf,
  StringSlice,
} from "./primordials.ts";

export interface CallSite {
  /** Stack text below the first line, starting with a line break; may be empty. */
  readonly frames: string;
  /** Line of the wrapped script as V8 counts it; 0 when unknown. */
  readonly line: number;
}

const FILE = "script.ts:";
const LINE_BREAK = 10;
const NOWHERE: CallSite = { frames: "", line: 0 };

/**
 * Reads the stack below `stub`, so that V8 need not find positions in the bootstrap, which costs half a millisecond.
 * A script that tampers with Error loses the position, nothing else.
 */
export function captureCallSite(stub: object): CallSite {
  try {
    const holder = ObjectCreate(null);
    ErrorCaptureStackTrace(holder, stub);
    const stack: unknown = holder["stack"];
    if (typeof stack !== "string") return NOWHERE;
    const at = StringIndexOf(stack, FILE);
    if (at < 0) return NOWHERE;
    // Frames of what the script called with a stub as callback may come first.
    let start = at;
    while (start > 0 && StringCharCodeAt(stack, start) !== LINE_BREAK) start -= 1;
    const line = NumberParseInt(StringSlice(stack, at + FILE.length, at + FILE.length + 10), 10);
    return { frames: StringSlice(stack, start), line: line >= 1 ? line : 0 };
  } catch {
    return NOWHERE;
  }
}
