// Owns how much of a script, of arguments and of results is kept in the audit log.
import type { CallError } from "../../contract/call.ts";
import { byteLength, canonicalJson, type JsonObject, type JsonValue } from "../../contract/json.ts";
import type { Redactor } from "../redact.ts";
import type { AuditBodies, AuditBody } from "./entry.ts";
import { sha256 } from "./line.ts";

const MAX_UNITS = 64_000;

export function textBody(text: string, bodies: AuditBodies, redactor: Redactor): AuditBody {
  return body(
    byteLength(text),
    bodies,
    () => text,
    () => cut(redactor.redact(text)),
  );
}

/** Of a value that is JSON text already. */
export function bodyOf(json: string, bodies: AuditBodies, redactor: Redactor): AuditBody {
  return body(
    byteLength(json),
    bodies,
    () => canonicalJson(JSON.parse(json) as JsonValue),
    () => shown(json, redactor),
  );
}

export function valueBody(value: JsonValue, bodies: AuditBodies, redactor: Redactor): AuditBody {
  return bodyOf(JSON.stringify(value), bodies, redactor);
}

/** Message, content and structured content; the code stands beside it. */
export function errorBody(error: CallError, bodies: AuditBodies, redactor: Redactor): AuditBody {
  const { message, content, structuredContent } = error;
  const value: JsonObject = {
    message,
    ...(content !== undefined && { content }),
    ...(structuredContent !== undefined && { structuredContent }),
  };
  return valueBody(value, bodies, redactor);
}

function body(
  bytes: number,
  bodies: AuditBodies,
  canonical: () => string,
  redacted: () => JsonValue,
): AuditBody {
  switch (bodies) {
    case "none":
      return { bytes };
    case "hash":
      return { bytes, sha256: sha256(canonical()) };
    case "redacted":
      return { bytes, sha256: sha256(canonical()), value: redacted() };
  }
}

function shown(json: string, redactor: Redactor): JsonValue {
  const text = redactor.redact(json);
  if (text.length > MAX_UNITS) return cut(text);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function cut(text: string): string {
  return text.length > MAX_UNITS
    ? `${text.slice(0, MAX_UNITS)}… (${text.length - MAX_UNITS} more characters)`
    : text;
}
