// Owns a gate as structured tools of LangChain, for createAgent, LangGraph and models with bindTools.
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { Gate, MetaTool, MetaToolResult } from "../index.ts";
import { imagesOf, offeredTools, runTool, type AdapterOptions } from "./meta-tools.ts";

export type { AdapterOptions } from "./meta-tools.ts";

/**
 * Tools for one conversation: `createAgent({ model, tools: langchainTools(gate) })`. The `signal` of the call ends the
 * run. A failed run is a ToolMessage of status "error", which the model reads. Throws CONFIG_INVALID for a name in
 * `tools` that is none.
 */
export function langchainTools(gate: Gate, options: AdapterOptions = {}): DynamicStructuredTool[] {
  return offeredTools(gate, options).map((one) => langchainTool(one, options));
}

function langchainTool(one: MetaTool, options: AdapterOptions): DynamicStructuredTool {
  const { name, description, inputSchema } = one;
  return new DynamicStructuredTool({
    name,
    description,
    schema: inputSchema,
    verboseParsingErrors: true,
    func: async (input: unknown, _runManager, config?: ToolRunnableConfig) =>
      toolMessage(one, await runTool(one, input, options, config?.signal), config?.toolCall?.id),
  });
}

/** A tool that is invoked without a call of a model answers with the text alone. */
function toolMessage(
  { name }: MetaTool,
  { isError, text, structuredContent, content }: MetaToolResult,
  tool_call_id: string | undefined,
): ToolMessage | string {
  if (tool_call_id === undefined) return text;
  const status = isError ? "error" : "success";
  const images = imagesOf(content).map(({ data, mimeType }) => ({ type: "image" as const, mimeType, data }));
  const common = { tool_call_id, name, status, artifact: structuredContent } as const;
  if (images.length === 0) return new ToolMessage({ ...common, content: text });
  return new ToolMessage({ ...common, contentBlocks: [{ type: "text", text }, ...images] });
}
