// An agent of the OpenAI Agents SDK with one gate: its model finds a tool, writes a script, repairs it.
import { Agent, Runner } from "@openai/agents";
import { createCallgate, defineTool } from "callgate";
import { agentTools } from "callgate/openai-agents";
import { z } from "zod";
// For a real model: leave out `model` below, and this line.
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

const agent = new Agent({
  name: "storekeeper",
  instructions: "Keep the shelves full.",
  model,
  tools: agentTools(gate, { principal: "ana" }),
});
// A name that no tool has is told to the model, too.
const runner = new Runner({ tracingDisabled: true, toolNotFoundBehavior: "return_error_to_model" });
const { finalOutput, newItems } = await runner.run(agent, "Order 50 of everything that is running low.");

for (const item of newItems) {
  if (item.type === "tool_call_output_item")
    console.log(String(item.output).split("\n").slice(0, 2).join(" "));
}
console.log(finalOutput);
