// Owns how arguments are shown to a person: redacted and bounded, the shape kept where it fits.
import type { JsonObject, JsonValue } from "../contract/json.ts";
import type { Redactor } from "./redact.ts";

const SHOWN_UNITS = 8_000;

/** The arguments as JSON; a text that says how much was cut when they are too long to read. */
export function shownArguments(args: JsonObject, redactor: Redactor): JsonValue {
  const text = redactor.redact(JSON.stringify(args));
  if (text.length > SHOWN_UNITS)
    return `${text.slice(0, SHOWN_UNITS)}… (${text.length - SHOWN_UNITS} more characters)`;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
