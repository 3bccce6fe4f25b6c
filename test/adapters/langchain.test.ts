// The real createAgent of LangChain with LangChain's own fake model, over a gate.
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent } from "langchain";
import { expect, test } from "vitest";
import { langchainTools } from "../../adapters/langchain.ts";
import { verifies } from "../requirements.ts";
import * as claims from "./claims.ts";
import { openShop, type Turn } from "./support.ts";

/** What is no JSON is passed on as text, as some model classes do; others end the loop with an invalid tool call. */
function reply(turn: Turn): AIMessage {
  if (typeof turn === "string") return new AIMessage(turn);
  const tool_calls: AIMessage["tool_calls"] = [];
  for (const { id, name, input } of turn) {
    let args: unknown;
    try {
      args = JSON.parse(input);
    } catch {
      args = input;
    }
    tool_calls.push({ id, name, args: args as Record<string, unknown>, type: "tool_call" });
  }
  return new AIMessage({ content: "", tool_calls });
}

const drive: claims.Drive = async (gate, turns, { signal, ...options } = {}) => {
  const tools = langchainTools(gate, options);
  const model = fakeModel();
  for (const turn of turns) model.respond(reply(turn));
  const agent = createAgent({ model, tools });
  const input = { messages: [{ role: "user", content: "Sell a tea." }] };
  const { messages } = await agent.invoke(input, signal === undefined ? {} : { signal });
  const heard = (messages as BaseMessage[])
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ status, text, contentBlocks }) => {
      const images = contentBlocks.flatMap((block) => (block.type === "image" ? [String(block.data)] : []));
      return { isError: status === "error", text, ...(images.length > 0 && { images }) };
    });
  return { text: messages.at(-1)?.text ?? "", heard, offered: tools.map(({ name }) => name) };
};

test(verifies(["adapters:loop", "adapters:error"], "createAgent repairs a wrong script and succeeds"), () =>
  claims.expectRepair(drive, true),
);

test(verifies("adapters:abort", "the signal of invoke ends the run and its calls"), () =>
  claims.expectAbort(drive),
);

test(verifies("adapters:approval", "approve and principal belong to the conversation"), () =>
  claims.expectApproval(drive),
);

test(verifies("adapters:malformed", "the loop outlives whatever the model sends"), () =>
  claims.expectMalformed(drive, [/sell_everything/, /did not match/, /script/]),
);

test(verifies("adapters:parallel", "two calls of one turn run at the same time"), () =>
  claims.expectParallel(drive),
);

test(verifies("adapters:choice", "the tools are those asked for"), () => claims.expectChoice(drive));

test(verifies("adapters:images", "emitted images are shown to the model"), () => claims.expectImages(drive));

test(verifies("adapters:error", "a tool that no model called answers with the text alone"), async () => {
  await using shop = await openShop();
  const [search] = langchainTools(shop.gate);
  expect(await search?.invoke({ query: "sell" })).toContain("shop.sell");
});
