// Owns a gate as function tools of the OpenAI Responses and Chat Completions APIs, and the answers to calls of them.
import type OpenAI from "openai";
import type { Gate, MetaToolResult } from "../index.ts";
import {
  imagesOf,
  isOffered,
  isStrict,
  offeredTools,
  runNamedText,
  type AdapterOptions,
  type HandlerOptions,
} from "./meta-tools.ts";

export type { AdapterOptions, HandlerOptions } from "./meta-tools.ts";

type FunctionCall = OpenAI.Responses.ResponseFunctionToolCall;
type FunctionCallOutput = OpenAI.Responses.ResponseInputItem.FunctionCallOutput;
type ChatCall = OpenAI.ChatCompletionMessageToolCall;
type ChatMessage = OpenAI.ChatCompletionToolMessageParam;

export interface FunctionCallOptions extends HandlerOptions {
  /** Answers calls of functions of your own. @defaultValue the model is told that there is no such tool */
  readonly others?: (call: FunctionCall) => Promise<FunctionCallOutput>;
}

export interface ToolCallOptions extends HandlerOptions {
  /** Answers calls of tools of your own. @defaultValue the model is told that there is no such tool */
  readonly others?: (call: ChatCall) => Promise<ChatMessage>;
}

/** For `tools` of `responses.create`. Throws CONFIG_INVALID for a name in `tools` that is none. */
export function openaiTools(
  gate: Gate,
  options: Pick<AdapterOptions, "tools"> = {},
): OpenAI.Responses.FunctionTool[] {
  return offeredTools(gate, options).map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: isStrict(inputSchema),
  }));
}

/** For `tools` of `chat.completions.create`. Throws CONFIG_INVALID for a name in `tools` that is none. */
export function openaiChatTools(
  gate: Gate,
  options: Pick<AdapterOptions, "tools"> = {},
): OpenAI.ChatCompletionFunctionTool[] {
  return openaiTools(gate, options).map(({ name, description, parameters, strict }) => ({
    type: "function",
    function: {
      name,
      strict,
      ...(typeof description === "string" && { description }),
      ...(parameters !== null && { parameters }),
    },
  }));
}

/**
 * Runs the function calls of a response, all at once, and resolves to the input items that answer them in their order;
 * to none when there are none. What the model got wrong is told in an output. Rejects when the gate is closed and when
 * `others` does.
 */
export async function handleFunctionCalls(
  gate: Gate,
  response: Pick<OpenAI.Responses.Response, "output">,
  { others, ...options }: FunctionCallOptions = {},
): Promise<FunctionCallOutput[]> {
  const calls = response.output.filter((item) => item.type === "function_call");
  const answer = async (call: FunctionCall): Promise<FunctionCallOutput> => {
    const { name, call_id, caller, arguments: given } = call;
    if (others !== undefined && !isOffered(gate, name, options)) return others(call);
    const output = modelOutput(await runNamedText(gate, name, given, options));
    // A call that a program of the API's own made is answered to that program.
    return { type: "function_call_output", call_id, output, ...(caller && { caller }) };
  };
  return Promise.all(calls.map(answer));
}

/**
 * The same for a message of a chat completion: resolves to the `tool` messages that follow it. They hold text only; what
 * a script emitted is named in it.
 */
export async function handleToolCalls(
  gate: Gate,
  message: Pick<OpenAI.ChatCompletionMessage, "tool_calls">,
  { others, ...options }: ToolCallOptions = {},
): Promise<ChatMessage[]> {
  const answer = async (call: ChatCall): Promise<ChatMessage> => {
    const { name } = call.type === "function" ? call.function : call.custom;
    if (others !== undefined && !isOffered(gate, name, options)) return others(call);
    const given = call.type === "function" ? call.function.arguments : "";
    const { text } = await runNamedText(gate, name, given, options);
    return { role: "tool", tool_call_id: call.id, content: text };
  };
  return Promise.all((message.tool_calls ?? []).map(answer));
}

function modelOutput({ text, content }: MetaToolResult): FunctionCallOutput["output"] {
  const images = imagesOf(content);
  if (images.length === 0) return text;
  return [
    { type: "input_text", text },
    ...images.map(({ data, mimeType }) => ({
      type: "input_image" as const,
      image_url: `data:${mimeType};base64,${data}`,
    })),
  ];
}
