// Owns how a local function is declared as a tool.
import type { z } from "zod";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolAnnotations } from "../../contract/tool.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tools of every type stand in one record; only any fits both ways
type Anything = any;

export interface LocalToolContext {
  /** Whose run calls: `principal` of the run. @defaultValue "default" */
  readonly principal: string;
  /** Aborts when the run ends or the call times out. */
  readonly signal: AbortSignal;
  /** Reports progress, which also extends the call's time limit. */
  readonly progress: (progress: number, total?: number, message?: string) => void;
}

/**
 * A local function offered to scripts. Schemas are zod 4 or plain JSON Schema; the input schema must be an object's.
 * `run` gets the parsed input and may return anything JSON can hold; the script gets a copy. What it throws reaches the
 * script as a failed call with the error's message, and nothing else of it: write messages for the script's eyes.
 */
export interface LocalTool<I = Anything, O = Anything> {
  readonly description: string;
  readonly input: z.ZodType<I> | JsonObject;
  readonly output?: z.ZodType<unknown, O> | JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly run: (input: I, context: LocalToolContext) => Promise<O> | O;
}

/** Declares a local tool; the types of `run` follow from the zod schemas. With JSON Schema they are `any`. */
export function defineTool<I, O>(
  tool: LocalTool<I, O> & { readonly input: z.ZodType<I>; readonly output?: z.ZodType<unknown, O> },
): LocalTool<I, O>;
export function defineTool<I = Anything, O = Anything>(
  tool: LocalTool<I, O> & { readonly input: JsonObject },
): LocalTool<I, O>;
export function defineTool(tool: LocalTool): LocalTool {
  return tool;
}
