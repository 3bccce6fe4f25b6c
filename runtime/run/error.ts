// Owns what a caller is told of a run's end, in positions of the script as written.
import { ABSENT_GLOBALS } from "../../contract/absent.ts";
import type { ErrorCode } from "../../contract/error.ts";
import { ERROR_CODES } from "../../contract/error.ts";
import type { RunError } from "../../contract/result.ts";
import type { NormalisedScript } from "../script/normalise.ts";
import { scriptFrames, sourceLine, type ScriptFrame } from "../script/positions.ts";
import type { Cause } from "./request.ts";
import { unknownToolMessage, type NearestCalls } from "./unknown-tool.ts";

const UNDEFINED_NAME = /^([A-Za-z_$][\w$]{0,40}) is not defined$/;

/** Undefined for a run that returned. */
export function toRunError(
  cause: Cause,
  script: NormalisedScript,
  written: string,
  nearest: NearestCalls,
): RunError | undefined {
  if (cause.type === "returned") return undefined;
  if (cause.type === "stopped") {
    return { code: cause.code, message: cause.message, retryable: ERROR_CODES[cause.code].retryable };
  }
  const frames = scriptFrames(cause.stack, script);
  const first = frames[0];
  const unknown = cause.name === "TypeError" ? unknownToolMessage(cause.message, nearest) : undefined;
  const message = cause.message === "" ? `${cause.name || "The script"} was thrown` : cause.message;
  return {
    code: unknown === undefined ? thrownCode(cause) : "CALL_UNKNOWN_TOOL",
    message: unknown ?? withHint(message),
    ...(cause.name !== "" && { name: cause.name }),
    ...(first !== undefined && {
      line: first.line,
      column: first.column,
      source: sourceLine(written.replace(/\r\n?/gu, "\n"), first.line),
      stack: frames.map(frameText).join("\n"),
    }),
    ...(cause.call !== undefined && { server: cause.call.server, tool: cause.call.tool }),
    retryable: false,
  };
}

function thrownCode(cause: Extract<Cause, { type: "threw" }>): ErrorCode {
  if (cause.syntax) return "SCRIPT_SYNTAX";
  const code = cause.call?.code;
  // Security: the code comes from the worker; only the codes of calls are believed.
  return code !== undefined && code.startsWith("CALL_") && Object.hasOwn(ERROR_CODES, code)
    ? (code as ErrorCode)
    : "SCRIPT_THREW";
}

function withHint(message: string): string {
  const name = UNDEFINED_NAME.exec(message)?.[1];
  if (name === undefined || !Object.hasOwn(ABSENT_GLOBALS, name)) return message;
  return `${message}: ${ABSENT_GLOBALS[name]}`;
}

function frameText({ line, column, functionName }: ScriptFrame): string {
  return `    at ${functionName === undefined ? "" : `${functionName} `}script.ts:${line}:${column}`;
}
