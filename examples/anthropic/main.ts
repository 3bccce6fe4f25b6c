// An agent loop over the Anthropic Messages API and one gate: the model finds a tool, writes a script, repairs it.
import Anthropic from "@anthropic-ai/sdk";
import { createCallgate, defineTool } from "callgate";
import { anthropicTools, handleToolUse } from "callgate/anthropic";
import { z } from "zod";
import { scripted } from "./model.ts";

// For a real model: const client = new Anthropic(); and its name below.
const client = new Anthropic({ apiKey: "none", fetch: scripted });

const shelves = [
  { item: "bolts", left: 2 },
  { item: "nails", left: 40 },
  { item: "screws", left: 1 },
];
const stock = {
  list: defineTool({
    description: "Lists what is left on the shelves.",
    input: z.object({}),
    output: z.object({ shelves: z.array(z.object({ item: z.string(), left: z.number() })) }),
    annotations: { readOnlyHint: true },
    run: () => ({ shelves }),
  }),
  order: defineTool({
    description: "Orders more of an item.",
    input: z.object({ item: z.string(), count: z.int().positive() }),
    run: ({ item, count }) => `${count} ${item}`,
  }),
};

await using gate = await createCallgate({ tools: { stock }, policy: { default: "allow" } });

const tools = anthropicTools(gate, { cacheControl: { type: "ephemeral" } });
const messages: Anthropic.MessageParam[] = [
  { role: "user", content: "Order 50 of everything that is running low." },
];
for (;;) {
  const reply = await client.messages.create({ model: "scripted", max_tokens: 4_096, tools, messages });
  messages.push({ role: "assistant", content: reply.content });
  for (const block of reply.content) if (block.type === "text") console.log(block.text);
  const results = await handleToolUse(gate, reply, { principal: "ana" });
  if (results === undefined) break;
  messages.push(results);
}
console.log(`${messages.length} messages`);
