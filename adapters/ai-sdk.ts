// Owns a gate as tools of the AI SDK: a set for generateText, streamText and agents.
import { jsonSchema, tool, type JSONSchema7, type Tool } from "ai";
import type { Gate, MetaToolResult } from "../index.ts";
import { imagesOf, offeredTools, runTool, type AdapterOptions } from "./meta-tools.ts";

export type { AdapterOptions } from "./meta-tools.ts";

export type AiSdkTools = Record<string, Tool<unknown, MetaToolResult>>;

type ModelOutput = Awaited<ReturnType<NonNullable<Tool<unknown, MetaToolResult>["toModelOutput"]>>>;

/**
 * Tools for one conversation: `generateText({ model, tools: aiSdkTools(gate), stopWhen, prompt })`. The call's
 * `abortSignal` ends the run. A failed run is an error to the model, which the loop lets it repair.
 * Throws CONFIG_INVALID for a name in `tools` that is none.
 */
export function aiSdkTools(gate: Gate, options: AdapterOptions = {}): AiSdkTools {
  const entries = offeredTools(gate, options).map((one) => {
    const { name, description, inputSchema } = one;
    const adapted = tool({
      description,
      // The gate checks the input itself: its message is written for the model.
      inputSchema: jsonSchema<unknown>(inputSchema as JSONSchema7),
      execute: (input, { abortSignal }) => runTool(one, input, options, abortSignal),
      toModelOutput: ({ output }) => modelOutput(output),
    });
    return [name, adapted] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Not thrown from `execute`: messages kept for a user interface mask thrown errors, so that the model of a later
 * request could not read what to repair.
 */
function modelOutput({ isError, text, content = [] }: MetaToolResult): ModelOutput {
  // Of an error the text is all that a model needs, and only text can be marked as one.
  const images = isError ? [] : imagesOf(content);
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: text };
  const files = images.map(({ data, mimeType }) => ({
    type: "file" as const,
    data: { type: "data" as const, data },
    mediaType: mimeType,
  }));
  return { type: "content", value: [{ type: "text", text }, ...files] };
}
