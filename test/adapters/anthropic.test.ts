// The real Anthropic client against a loopback server that speaks the Messages API, over a gate.
import Anthropic from "@anthropic-ai/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import {
  anthropicTools,
  deferredTools,
  handleToolUse,
  type ToolUseOptions,
} from "../../adapters/anthropic.ts";
import { createCallgate, defineTool, type Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import * as claims from "./claims.ts";
import { openProvider, type ProviderRequest } from "./provider.ts";
import { openShop, runs, RIGHT_SCRIPT, says, type Turn } from "./support.ts";

type Body = Anthropic.MessageCreateParamsNonStreaming;

const ajv = new Ajv2020({ strict: false });

/** What the API refuses with 400. */
function check({ path, headers, body }: ProviderRequest): Body {
  const request = body as Body;
  expect(path).toBe("/v1/messages");
  expect(headers).toMatchObject({ authorization: "Bearer none", "anthropic-version": expect.any(String) });
  const tools = (request.tools ?? []) as readonly (Anthropic.Tool & { type?: string })[];
  expect(tools.some(({ defer_loading }) => defer_loading !== true)).toBe(true);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  for (const { name, type, input_schema, defer_loading, cache_control } of tools) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(defer_loading === true && cache_control !== undefined).toBe(false);
    if (type !== undefined) continue;
    expect(ajv.validateSchema(input_schema), JSON.stringify(ajv.errors)).toBe(true);
    expect(input_schema.type).toBe("object");
    for (const keyword of ["oneOf", "anyOf", "allOf"]) expect(input_schema).not.toHaveProperty(keyword);
    const keys = Object.keys((input_schema.properties ?? {}) as object);
    for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
  }
  request.messages.forEach(({ role, content }, index) => {
    if (role !== "assistant" || typeof content === "string") return;
    const asked = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const next = request.messages[index + 1]?.content;
    const answered = typeof next === "string" ? [] : (next ?? []);
    expect(answered.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))).toEqual(
      asked,
    );
  });
  return request;
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    // The API never passes on what is no object.
    return {};
  }
}

function message(turn: Turn): object {
  const calls = typeof turn === "string" ? [] : turn;
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content:
      typeof turn === "string"
        ? [{ type: "text", text: turn, citations: null }]
        : [
            { type: "text", text: "Let me see.", citations: null },
            ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: parsed(input) })),
          ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** The loop of docs/adapters.md. */
async function converse(
  gate: Gate,
  turns: readonly Turn[],
  tools: Anthropic.ToolUnion[],
  options: ToolUseOptions,
): Promise<claims.Conversation & { readonly first: Body }> {
  const sent: Body[] = [];
  await using provider = await openProvider((request) => {
    sent.push(check(request));
    return message(turns[sent.length - 1] ?? "");
  });
  const client = new Anthropic({ apiKey: "none", baseURL: provider.url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Sell a tea." }];
  for (;;) {
    const reply = await client.messages.create({ model: "scripted", max_tokens: 1_000, tools, messages });
    messages.push({ role: "assistant", content: reply.content });
    const results = await handleToolUse(gate, reply, options);
    if (results !== undefined) {
      messages.push(results);
      continue;
    }
    const answers = messages.flatMap(({ role, content }) =>
      role === "user" && typeof content !== "string" ? content : [],
    );
    return {
      text: reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
      heard: answers.map(heard),
      offered: tools.map((tool) => ("name" in tool ? tool.name : tool.type)),
      first: sent[0] as Body,
    };
  }
}

function heard(block: Anthropic.ContentBlockParam): claims.Heard {
  if (block.type !== "tool_result" || typeof block.content === "string") throw new Error("no tool result");
  const parts = block.content ?? [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const images = parts.flatMap((part) =>
    part.type === "image" && part.source.type === "base64" ? [part.source.data] : [],
  );
  return { isError: block.is_error ?? false, text, ...(images.length > 0 && { images }) };
}

const drive: claims.Drive = async (gate, turns, options = {}) =>
  converse(gate, turns, anthropicTools(gate, options), options);

test(
  verifies(["adapters:loop", "adapters:error"], "a loop over messages.create repairs a wrong script"),
  () => claims.expectRepair(drive, true),
);

test(verifies("adapters:abort", "the handler's signal ends the run and its calls"), () =>
  claims.expectAbort(drive),
);

test(verifies("adapters:approval", "approve and principal belong to the conversation"), () =>
  claims.expectApproval(drive),
);

test(verifies("adapters:malformed", "the loop outlives whatever the model sends"), () =>
  claims.expectMalformed(drive, [
    /no tool "sell_everything"; there are search_tools, get_tool_details, run_script/,
    /run_script: .*script/s,
    /run_script: .*code/s,
  ]),
);

test(verifies("adapters:parallel", "two blocks of one message run at the same time"), () =>
  claims.expectParallel(drive),
);

test(verifies("adapters:choice", "the definitions are those asked for"), () => claims.expectChoice(drive));

test(verifies("adapters:images", "emitted images are shown to the model"), () => claims.expectImages(drive));

test(
  verifies(
    "adapters:cache",
    "the cache breakpoint is on the last tool, and the bytes are the same every time",
  ),
  async () => {
    await using shop = await openShop();
    const make = (): Anthropic.Tool[] => anthropicTools(shop.gate, { cacheControl: { type: "ephemeral" } });
    expect(make().map(({ cache_control }) => cache_control?.type)).toEqual([
      undefined,
      undefined,
      "ephemeral",
    ]);
    expect(JSON.stringify(make())).toBe(JSON.stringify(make()));
  },
);

test(verifies("adapters:others", "blocks for tools of the host's own go to the host"), async () => {
  await using shop = await openShop();
  const turns: readonly Turn[] = [[says("today", {}), runs("return 1")], "Done."];
  const { heard } = await converse(shop.gate, turns, anthropicTools(shop.gate), {
    others: async ({ id, name }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: [{ type: "text", text: `${name}: Sunday` }],
    }),
  });
  expect(heard.map(({ text }) => text.split("\n")[0])).toEqual(["today: Sunday", "1"]);
});

/** Names and schemas that servers really have and the API refuses. */
async function openOdd(): Promise<Gate & { readonly asked: unknown[] }> {
  const asked: unknown[] = [];
  const odd = (input: Parameters<typeof defineTool>[0]["input"]): ReturnType<typeof defineTool> =>
    defineTool({ description: "Odd.", input: input as never, run: (given) => (asked.push(given), "fine") });
  const filter = {
    type: "object",
    properties: { "filter[id]": { type: "string" }, filter_id_: { type: "string" } },
    required: ["filter[id]"],
    additionalProperties: false,
  };
  const choice = {
    type: "object",
    properties: { id: { type: "string" } },
    anyOf: [{ properties: { title: { type: "string" } }, required: ["title"] }, { required: ["id"] }],
  };
  const old = {
    $schema: "http://json-schema.org/draft-04/schema#",
    type: "object",
    properties: {
      least: { type: "number", minimum: 0, exclusiveMinimum: true, required: true },
      items: { type: "array", items: [{ type: "number" }], additionalItems: false, default: { items: [1] } },
    },
  };
  const gate = await createCallgate({
    tools: {
      odd: {
        old: odd(old),
        "a.b": odd(filter),
        a_b: odd(choice),
        [`long${"g".repeat(90)}`]: odd({ type: "object" }),
      },
    },
    policy: { default: "allow" },
  });
  return Object.assign(gate, { asked });
}

test(
  verifies("adapters:deferred", "every tool is deferred under a name and schema that the API takes"),
  async () => {
    await using gate = await openOdd();
    const deferred = deferredTools(gate);
    const { first } = await converse(gate, ["Nothing to do."], [...deferred.tools], { deferred });
    const [search, ...rest] = first.tools ?? [];
    expect(search).toEqual({ type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" });
    expect(rest).toHaveLength(4);
    expect(rest).toEqual(rest.map(() => expect.objectContaining({ defer_loading: true })));
    expect(JSON.stringify(deferredTools(gate).tools)).toBe(JSON.stringify(deferred.tools));
  },
);

test(
  verifies("adapters:deferred", "a deferred call reaches its tool with the tool's own property names"),
  async () => {
    await using gate = await openOdd();
    const deferred = deferredTools(gate, { search: "regex" });
    const turns: readonly Turn[] = [
      deferred.tools
        .slice(1)
        .map((tool) => says((tool as Anthropic.Tool).name, argumentsFor(tool as Anthropic.Tool))),
      "Done.",
    ];
    const { heard } = await converse(gate, turns, [...deferred.tools], { deferred });
    expect(heard).toEqual([1, 2, 3, 4].map(() => ({ isError: false, text: "fine" })));
    expect(gate.asked).toEqual(expect.arrayContaining([{ "filter[id]": "7" }, { title: "x" }, {}]));
  },
);

function argumentsFor({ input_schema }: Anthropic.Tool): object {
  const properties = Object.keys((input_schema.properties ?? {}) as object);
  if (properties.includes("title")) return { title: "x" };
  const [required] = input_schema.required ?? [];
  return required === undefined ? {} : { [required]: "7" };
}

test(
  verifies("adapters:deferred", "a deferred call takes the path of every other: validation and approval"),
  async () => {
    await using shop = await openShop({ policy: { default: "ask" } });
    const deferred = deferredTools(shop.gate);
    const turns: readonly Turn[] = [
      [says("shop__sell", { itm: "tea" }), says("shop__sell", { item: "tea" }), runs(RIGHT_SCRIPT)],
      "Done.",
    ];
    const asked: unknown[] = [];
    const { heard } = await converse(shop.gate, turns, [...deferred.tools, ...anthropicTools(shop.gate)], {
      deferred,
      approve: async (request) => {
        asked.push([request.arguments, request.line]);
        return { decision: request.line === undefined ? "deny" : "allow" };
      },
    });
    expect(heard.map(({ isError }) => isError)).toEqual([true, true, false]);
    expect(heard[0]?.text).toMatch(/CALL_INVALID_ARGUMENTS[^]*item/);
    expect(heard[1]?.text).toMatch(/CALL_APPROVAL_REJECTED/);
    expect(asked).toEqual(
      expect.arrayContaining([
        [{ item: "tea" }, undefined],
        [{ item: "tea" }, 1],
      ]),
    );
  },
);
