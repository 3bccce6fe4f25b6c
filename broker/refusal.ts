// Owns the errors a call ends with before or instead of a result.
import type { CallError } from "../contract/call.ts";
import type { ValuePath } from "../contract/content.ts";
import { CallgateError, ERROR_CODES, type CallErrorCode } from "../contract/error.ts";
import type { JsonValue } from "../contract/json.ts";
import { plain } from "./plain-text.ts";

interface Target {
  readonly server: string;
  readonly tool: string;
}

/** Longer messages are cut. */
export const MESSAGE_UNITS: number = 4_000;
const CONTENT_UNITS = 64_000;

export function callError(
  code: CallErrorCode,
  target: Target,
  message: string,
  extra: {
    readonly content?: JsonValue;
    readonly structuredContent?: JsonValue;
    readonly handles?: readonly ValuePath[];
    readonly retryable?: boolean;
  } = {},
): CallError {
  return {
    code,
    server: target.server,
    tool: target.tool,
    message: bounded(message),
    retryable: extra.retryable ?? ERROR_CODES[code].retryable,
    ...(extra.content !== undefined &&
      fits(extra.content) && {
        content: extra.content,
        ...(extra.handles !== undefined && extra.handles.length > 0 && { handles: extra.handles }),
      }),
    ...(extra.structuredContent !== undefined &&
      fits(extra.structuredContent) && { structuredContent: extra.structuredContent }),
  };
}

/** What an upstream threw, as the script is told. Security: code and message only, never cause, stack or properties. */
export function thrownCallError(error: unknown, target: Target): CallError {
  if (CallgateError.is(error) && error.code.startsWith("CALL_")) {
    return callError(error.code as CallErrorCode, target, error.message, { retryable: error.retryable });
  }
  if (CallgateError.is(error, "DISPOSED")) return callError("CALL_CANCELLED", target, "The gate was closed.");
  return callError("CALL_UPSTREAM_UNAVAILABLE", target, `${target.server} failed inside Callgate.`);
}

/** `server.tool`, bounded, for a sentence. */
export function callName(target: Target): string {
  return plain(`${target.server}.${target.tool}`, 200);
}

function bounded(message: string): string {
  return message.length > MESSAGE_UNITS ? `${message.slice(0, MESSAGE_UNITS - 1)}…` : message;
}

function fits(value: JsonValue): boolean {
  return JSON.stringify(value).length <= CONTENT_UNITS;
}
