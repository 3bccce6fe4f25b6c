// Owns where in the script a stub was called.
import {
  ErrorCtor,
  NumberParseInt,
  ReflectDefineProperty,
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
const FRAMES = 8;
const LINE_BREAK = 10;
const NOWHERE: CallSite = { frames: "", line: 0 };

/** Reads the stack of the running call. A script that tampers with Error loses the position, nothing else. */
export function captureCallSite(): CallSite {
  try {
    ReflectDefineProperty(ErrorCtor, "stackTraceLimit", {
      __proto__: null,
      value: FRAMES,
      writable: true,
      configurable: true,
      enumerable: true,
    });
    const stack: unknown = new ErrorCtor("").stack;
    if (typeof stack !== "string") return NOWHERE;
    const at = StringIndexOf(stack, FILE);
    if (at < 0) return NOWHERE;
    // The frames of the bootstrap come first; the script's begin at the line of its first mention.
    let start = at;
    while (start > 0 && StringCharCodeAt(stack, start) !== LINE_BREAK) start -= 1;
    const line = NumberParseInt(StringSlice(stack, at + FILE.length, at + FILE.length + 10), 10);
    return { frames: StringSlice(stack, start), line: line >= 1 ? line : 0 };
  } catch {
    return NOWHERE;
  }
}
