// Owns the first line of every error and warning: what it is, its code where it has one, what happened.
import { bold, red, yellow, type Text } from "./styled.ts";

/** `error CONFIG_INVALID: …`, or `error: …` for what has no code. */
export function errorLine(code: string | undefined, message: string): Text {
  return headline(red("error"), code, message);
}

/** `warning SCRIPT_TYPE: …`, or `warning: …`. */
export function warningLine(code: string | undefined, message: string): Text {
  return headline(yellow("warning"), code, message);
}

function headline(severity: Text, code: string | undefined, message: string): Text {
  return [bold(severity), code === undefined ? "" : [" ", bold(code)], ": ", message];
}
