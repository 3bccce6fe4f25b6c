// Owns ToolError, the exception a script meets when a call fails.
import { ErrorCtor, ObjectDefineProperty, WeakMapCtor, WeakMapGet, WeakMapSet } from "./primordials.ts";

export interface ToolErrorFacts {
  readonly code: string;
  readonly server: string;
  readonly tool: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  /** Where in `content` handles are. */
  readonly handles?: unknown;
}

const genuine = new WeakMapCtor<object, ToolErrorFacts>();
const FIELDS = ["code", "server", "tool", "retryable", "content", "structuredContent"] as const;

/** Scripts may use it with `instanceof` and may extend or construct it; only the bridge makes genuine ones. */
export class ToolError extends ErrorCtor {
  constructor(message?: string) {
    super(message);
    ObjectDefineProperty(this, "name", {
      __proto__: null,
      value: "ToolError",
      configurable: true,
      writable: true,
    });
  }
}

/** A genuine ToolError whose stack is that of the call. */
export function createToolError(facts: ToolErrorFacts, callSite: string): ToolError {
  const error = new ToolError(facts.message);
  for (let index = 0; index < FIELDS.length; index += 1) {
    const field = FIELDS[index] as (typeof FIELDS)[number];
    if (facts[field] === undefined) continue;
    ObjectDefineProperty(error, field, {
      __proto__: null,
      value: facts[field],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  ObjectDefineProperty(error, "stack", {
    __proto__: null,
    value: `ToolError: ${facts.message}${callSite}`,
    configurable: true,
    writable: true,
  });
  WeakMapSet(genuine, error, facts);
  return error;
}

/** The facts of a genuine ToolError, undefined for anything a script made itself. */
export function toolErrorFacts(value: unknown): ToolErrorFacts | undefined {
  return typeof value === "object" && value !== null
    ? (WeakMapGet(genuine, value) as ToolErrorFacts | undefined)
    : undefined;
}
