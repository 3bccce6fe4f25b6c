// Owns the check of arguments and results against the schemas of a tool.
import { byteLength, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.ts";
import { degradeInputSchema, degradeSchema } from "../contract/schema/degrade.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { readJson } from "./json-text.ts";
import { checkValue, compileSchema, type SchemaChecker } from "./schema-check.ts";
import { describeErrors } from "./schema-messages.ts";

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

const inputs = new WeakMap<ToolDefinition, SchemaChecker>();
const outputs = new WeakMap<ToolDefinition, SchemaChecker>();

/**
 * Reads and checks the arguments of a call. `maxBytes` bounds the text (UTF-8). Refused: text that is not one JSON
 * object, a property given twice, nesting over 500, what the degraded `inputSchema` refuses. The message has at most
 * five lines (`input.state: must be one of …`). Send `value`, never the text: only `value` was judged.
 */
export function validateArguments(
  tool: ToolDefinition,
  argumentsJson: string,
  options: {
    readonly maxBytes: number;
    /** What is sent instead, and judged; a text refuses. */
    readonly fill?: (value: JsonObject) => JsonObject | string;
  },
): Validated<JsonObject> {
  if (argumentsJson.length > options.maxBytes || byteLength(argumentsJson) > options.maxBytes) {
    return { ok: false, message: `input: is larger than ${options.maxBytes} bytes` };
  }
  const reading = readJson(argumentsJson);
  if (!reading.ok) return { ok: false, message: `input: ${reading.message}` };
  const { value } = reading;
  if (!isJsonObject(value)) {
    const is = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    return { ok: false, message: `input: must be an object, is ${is}` };
  }
  const filled = options.fill === undefined ? value : options.fill(value);
  if (typeof filled === "string") return { ok: false, message: filled };
  const checker = cached(inputs, tool, () => compileSchema(tool.inputSchema, degradeInputSchema));
  return verdict(checker, filled, "input");
}

/** Checks what a tool returned against its degraded `outputSchema`; anything goes when there is none. */
export function validateResult(tool: ToolDefinition, value: JsonValue): Validated<JsonValue> {
  const { outputSchema } = tool;
  if (outputSchema === undefined) return { ok: true, value };
  return verdict(
    cached(outputs, tool, () => compileSchema(outputSchema, degradeSchema)),
    value,
    "result",
  );
}

function cached(
  cache: WeakMap<ToolDefinition, SchemaChecker>,
  tool: ToolDefinition,
  make: () => SchemaChecker,
): SchemaChecker {
  let checker = cache.get(tool);
  if (checker === undefined) cache.set(tool, (checker = make()));
  return checker;
}

function verdict<T extends JsonValue>(checker: SchemaChecker, value: T, root: string): Validated<T> {
  const checked = checkValue(checker, value);
  if (checked.type === "valid") return { ok: true, value };
  const message =
    checked.type === "unfinished"
      ? `${root}: is too complex to check against its schema`
      : describeErrors(checked.errors, checked.by, root, value);
  return { ok: false, message };
}
