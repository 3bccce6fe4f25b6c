// The real OpenAI client against a loopback server that speaks Responses and Chat Completions, over a gate.
import OpenAI from "openai";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import { expect, test } from "vitest";
import {
  handleFunctionCalls,
  handleToolCalls,
  openaiChatTools,
  openaiTools,
  type FunctionCallOptions,
  type ToolCallOptions,
} from "../../adapters/openai.ts";
import type { Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import * as claims from "./claims.ts";
import { openProvider, type Provider, type ProviderRequest } from "./provider.ts";
import { openShop, runs, says, type Turn } from "./support.ts";

type Responses = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Chat = OpenAI.ChatCompletionCreateParamsNonStreaming;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
}

/** What strict mode asks of every object of a schema. */
function checkStrict({ properties, required, additionalProperties, items }: Schema): void {
  if (items !== undefined) checkStrict(items);
  if (properties === undefined) return;
  expect(additionalProperties).toBe(false);
  expect(Object.keys(properties).toSorted()).toEqual([...(required ?? [])].toSorted());
  Object.values(properties).forEach(checkStrict);
}

function checkFunction(tool: {
  name: string;
  parameters?: unknown;
  strict?: boolean | null | undefined;
}): void {
  expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect((tool.parameters as Schema).type).toBe("object");
  if (tool.strict === true) checkStrict(tool.parameters as Schema);
}

function checkRequest(request: ProviderRequest, path: string): void {
  expect(request.path).toBe(path);
  expect(request.headers.authorization).toBe("Bearer none");
}

function open(
  turns: readonly Turn[],
  path: string,
  reply: (turn: Turn, body: unknown) => object,
): Promise<Provider> {
  let turn = 0;
  return openProvider((request) => {
    checkRequest(request, path);
    return reply(turns[(turn += 1) - 1] ?? "", request.body);
  });
}

const client = ({ url }: Provider): OpenAI =>
  new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });

/** Every call in the input is answered by the output that follows it, in the same order. */
function respond(turn: Turn, body: unknown): object {
  const { input, tools = [] } = body as Responses;
  for (const tool of tools) if (tool.type === "function") checkFunction(tool);
  const items = typeof input === "string" ? [] : (input ?? []);
  const asked = items.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  const answered = items.flatMap((item) => (item.type === "function_call_output" ? [item.call_id] : []));
  expect(answered).toEqual(asked);
  const output =
    typeof turn === "string"
      ? [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [said(turn)] }]
      : turn.map(({ id, name, input: given }) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: given,
          status: "completed",
        }));
  return { id: "resp_1", object: "response", created_at: 0, status: "completed", model: "scripted", output };
}

function heardOf(output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput["output"]): claims.Heard {
  if (typeof output === "string") return { isError: undefined, text: output };
  const text = output.map((part) => (part.type === "input_text" ? part.text : "")).join("");
  const urls = output.flatMap((part) => (part.type === "input_image" ? [part.image_url ?? ""] : []));
  return { isError: undefined, text, images: urls.map((url) => url.replace("data:image/png;base64,", "")) };
}

const said = (text: string): object => ({ type: "output_text", text, annotations: [], logprobs: [] });

/** The first loop of docs/adapters.md. */
async function converse(
  gate: Gate,
  turns: readonly Turn[],
  options: FunctionCallOptions = {},
): Promise<claims.Conversation> {
  const tools = openaiTools(gate, options);
  await using provider = await open(turns, "/v1/responses", respond);
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Sell a tea." }];
  for (;;) {
    const response = await client(provider).responses.create({ model: "scripted", tools, input });
    const outputs = await handleFunctionCalls(gate, response, options);
    input.push(...toResponseInputItems(response.output), ...outputs);
    if (outputs.length > 0) continue;
    const heard = input.flatMap((item) =>
      item.type === "function_call_output" ? [heardOf(item.output)] : [],
    );
    return { text: response.output_text, heard, offered: tools.map(({ name }) => name) };
  }
}

function complete(turn: Turn, body: unknown): object {
  const { messages, tools = [] } = body as Chat;
  for (const tool of tools) if (tool.type === "function") checkFunction(tool.function);
  messages.forEach((message, index) => {
    const calls = (message.role === "assistant" && message.tool_calls) || [];
    const next = messages.slice(index + 1, index + 1 + calls.length);
    const answered = next.map((one) => (one.role === "tool" ? one.tool_call_id : ""));
    expect(answered).toEqual(calls.map(({ id }) => id));
  });
  const calls = typeof turn === "string" ? undefined : turn;
  const tool_calls = calls?.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  }));
  const message = {
    role: "assistant",
    content: typeof turn === "string" ? turn : null,
    refusal: null,
    tool_calls,
  };
  const finish_reason = calls === undefined ? "stop" : "tool_calls";
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 0, model: "scripted", choices };
}

/** The second loop of docs/adapters.md. */
async function chat(
  gate: Gate,
  turns: readonly Turn[],
  options: ToolCallOptions = {},
): Promise<claims.Conversation> {
  const tools = openaiChatTools(gate, options);
  await using provider = await open(turns, "/v1/chat/completions", complete);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Sell a tea." }];
  for (;;) {
    const { choices } = await client(provider).chat.completions.create({
      model: "scripted",
      tools,
      messages,
    });
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    const answers = await handleToolCalls(gate, message, options);
    messages.push(message, ...answers);
    if (answers.length > 0) continue;
    const heard = messages.flatMap((one) =>
      one.role === "tool" && typeof one.content === "string"
        ? [{ isError: undefined, text: one.content }]
        : [],
    );
    return { text: message.content ?? "", heard, offered: tools.map((tool) => tool.function.name) };
  }
}

const apis: readonly (readonly [string, claims.Drive])[] = [
  ["responses.create", (gate, turns, options) => converse(gate, turns, options)],
  ["chat.completions.create", (gate, turns, options) => chat(gate, turns, options)],
];

test.each(apis)(verifies("adapters:loop", "a loop over %s repairs a wrong script"), (_name, drive) =>
  claims.expectRepair(drive, false),
);

test.each(apis)(
  verifies("adapters:abort", "%s: the handler's signal ends the run and its calls"),
  (_name, drive) => claims.expectAbort(drive),
);

test.each(apis)(
  verifies("adapters:approval", "%s: approve and principal are the conversation's"),
  (_name, drive) => claims.expectApproval(drive),
);

test.each(apis)(
  verifies("adapters:malformed", "%s: the loop outlives whatever the model sends"),
  (_name, drive) =>
    claims.expectMalformed(drive, [
      /no tool "sell_everything"; there are search_tools, get_tool_details, run_script/,
      /"run_script": the arguments are no JSON/,
      /run_script: .*code/s,
    ]),
);

test.each(apis)(
  verifies("adapters:parallel", "%s: two calls of one turn run at the same time"),
  (_name, drive) => claims.expectParallel(drive),
);

test.each(apis)(verifies("adapters:choice", "%s: the definitions are those asked for"), (_name, drive) =>
  claims.expectChoice(drive),
);

test(verifies("adapters:others", "calls of the host's own functions go to the host"), async () => {
  await using shop = await openShop();
  const turns: readonly Turn[] = [[says("today", {}), runs("return 1")], "Done."];
  const response = await converse(shop.gate, turns, {
    others: async ({ call_id, name }) => ({
      type: "function_call_output",
      call_id,
      output: `${name}: Sunday`,
    }),
  });
  const completion = await chat(shop.gate, turns, {
    others: async ({ id }) => ({ role: "tool", tool_call_id: id, content: "today: Sunday" }),
  });
  for (const { heard } of [response, completion])
    expect(heard.map(({ text }) => text.split("\n")[0])).toEqual(["today: Sunday", "1"]);
});

test(verifies("adapters:images", "responses.create: emitted images are shown to the model"), () =>
  claims.expectImages((gate, turns, options) => converse(gate, turns, options)),
);

test(
  verifies("adapters:cache", "only schemas that strict mode takes are strict, and the bytes stay the same"),
  async () => {
    await using shop = await openShop();
    const tools = openaiTools(shop.gate);
    expect(tools.map(({ name, strict }) => [name, strict])).toEqual([
      ["search_tools", false],
      ["get_tool_details", false],
      ["run_script", true],
    ]);
    expect(JSON.stringify(openaiTools(shop.gate))).toBe(JSON.stringify(tools));
  },
);

test(
  verifies("adapters:others", "a call that a program of the API made is answered to that program"),
  async () => {
    await using shop = await openShop();
    const caller = { type: "program" as const, caller_id: "prog_1" };
    const { id: call_id, name, input } = runs("return 1");
    const call = { type: "function_call" as const, call_id, name, arguments: input, caller };
    const outputs = await handleFunctionCalls(shop.gate, { output: [call] });
    expect(outputs).toMatchObject([{ call_id, caller }]);
  },
);
