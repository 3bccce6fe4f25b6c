// A LangChain agent with one gate: its model finds a tool, writes a script, reads the type error, repairs it.
import { createCallgate, defineTool } from "callgate";
import { langchainTools } from "callgate/langchain";
import { createAgent, ToolMessage } from "langchain";
import { z } from "zod";
// For a real model: model: "anthropic:…" below, instead of this line.
import { model } from "./model.ts";

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

const agent = createAgent({ model, tools: langchainTools(gate, { principal: "ana" }) });
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "Order 50 of everything that is running low." }],
});

for (const message of messages) {
  if (!ToolMessage.isInstance(message)) continue;
  console.log(`${message.name} (${message.status}): ${message.text.split("\n").slice(0, 2).join(" ")}`);
}
console.log(messages.at(-1)?.text);
