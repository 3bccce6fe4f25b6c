// Owns a gate as function tools of the OpenAI Agents SDK.
import { tool, type FunctionTool, type ToolCallOutputContent } from "@openai/agents";
import type { Gate, MetaTool, MetaToolResult } from "../index.ts";
import { imagesOf, isStrict, offeredTools, runTool, type AdapterOptions } from "./meta-tools.ts";

export type { AdapterOptions } from "./meta-tools.ts";

type Options = Parameters<typeof tool>[0];

/**
 * Tools for one conversation: `new Agent({ name, tools: agentTools(gate) })`. The `signal` of `run` ends the script's
 * run. What went wrong is told to the model as the tool's output. Throws CONFIG_INVALID for a name in `tools` that is none.
 */
export function agentTools(gate: Gate, options: AdapterOptions = {}): FunctionTool[] {
  return offeredTools(gate, options).map((one) => agentTool(one, options));
}

function agentTool(one: MetaTool, options: AdapterOptions): FunctionTool {
  const { name, description, inputSchema } = one;
  const definition = {
    name,
    description,
    parameters: inputSchema,
    strict: isStrict(inputSchema),
    // Returned, not thrown: the SDK replaces the message of an error by one that says nothing.
    execute: async (input: unknown, _context: unknown, details?: { readonly signal?: AbortSignal }) =>
      modelOutput(await runTool(one, input, options, details?.signal)),
  };
  // The types know JSON Schemas only as literals.
  return tool(definition as unknown as Options) as FunctionTool;
}

function modelOutput({ text, content }: MetaToolResult): string | readonly ToolCallOutputContent[] {
  const images = imagesOf(content);
  if (images.length === 0) return text;
  return [
    { type: "text", text },
    ...images.map(({ data, mimeType }) => ({ type: "image" as const, image: { data, mediaType: mimeType } })),
  ];
}
