// Owns a gate as tools of the Anthropic Messages API, and the answer to a message's tool_use blocks.
import type Anthropic from "@anthropic-ai/sdk";
import { callTool, type Gate, type MetaToolResult } from "../index.ts";
import type { DeferredTools } from "./anthropic-deferred.ts";
import {
  imagesOf,
  isOffered,
  offeredTools,
  runNamed,
  runOptions,
  unknownTool,
  type AdapterOptions,
  type HandlerOptions,
} from "./meta-tools.ts";

export { deferredTools, type DeferredTools } from "./anthropic-deferred.ts";
export type { AdapterOptions, HandlerOptions } from "./meta-tools.ts";

export interface AnthropicToolsOptions extends Pick<AdapterOptions, "tools"> {
  /** Goes on the last tool: everything up to it is cached. @defaultValue none */
  readonly cacheControl?: Anthropic.CacheControlEphemeral;
}

export interface ToolUseOptions extends HandlerOptions {
  /** What `deferredTools` gave, when its tools are in the request. */
  readonly deferred?: DeferredTools;
  /** Answers blocks for tools of your own. @defaultValue the model is told that there is no such tool */
  readonly others?: (block: Anthropic.ToolUseBlock) => Promise<Anthropic.ToolResultBlockParam>;
}

/** For `tools` of `messages.create`. Throws CONFIG_INVALID for a name in `tools` that is none. */
export function anthropicTools(gate: Gate, options: AnthropicToolsOptions = {}): Anthropic.Tool[] {
  const offered = offeredTools(gate, options);
  return offered.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: inputSchema as Anthropic.Tool["input_schema"],
    ...(index === offered.length - 1 &&
      options.cacheControl !== undefined && { cache_control: options.cacheControl }),
  }));
}

/**
 * Runs the tool_use blocks of a message, all at once, and resolves to the user message that answers them in their order;
 * to undefined when there are none. What the model got wrong is in a block with `is_error`. Rejects when the gate is
 * closed and when `others` does.
 */
export async function handleToolUse(
  gate: Gate,
  message: Pick<Anthropic.Message, "content">,
  options: ToolUseOptions = {},
): Promise<Anthropic.UserMessageParam | undefined> {
  const blocks = message.content.filter((block) => block.type === "tool_use");
  if (blocks.length === 0) return undefined;
  return { role: "user", content: await Promise.all(blocks.map((block) => answer(gate, block, options))) };
}

async function answer(
  gate: Gate,
  block: Anthropic.ToolUseBlock,
  { deferred, others, ...options }: ToolUseOptions,
): Promise<Anthropic.ToolResultBlockParam> {
  const { name, input } = block;
  const direct = deferred?.call(name, input);
  if (direct !== undefined) return toolResult(block, await callTool(gate, direct, runOptions(options)));
  if (!isOffered(gate, name, options)) {
    if (others !== undefined) return others(block);
    if (deferred !== undefined) return toolResult(block, unknownTool(name, "find one with the tool search."));
  }
  return toolResult(block, await runNamed(gate, name, input, options));
}

function toolResult(
  { id, toolset_name }: Anthropic.ToolUseBlock,
  { isError, text, content }: MetaToolResult,
): Anthropic.ToolResultBlockParam {
  // Of an error the API takes text only.
  const images = (isError ? [] : imagesOf(content)).map(({ data, mimeType }): Anthropic.ImageBlockParam => ({
    type: "image",
    source: { type: "base64", media_type: mimeType as Anthropic.Base64ImageSource["media_type"], data },
  }));
  return {
    type: "tool_result",
    tool_use_id: id,
    content: [{ type: "text", text }, ...images],
    ...(isError && { is_error: true }),
    ...(typeof toolset_name === "string" && { toolset_name }),
  };
}
