// An AI SDK agent over one gate: its model finds a tool, writes a script, reads the type error, repairs it.
import { generateText, isStepCount } from "ai";
import { createCallgate, defineTool, type MetaToolResult } from "callgate";
import { aiSdkTools } from "callgate/ai-sdk";
import { z } from "zod";
// For a real model, instead of this line: import { anthropic } from "@ai-sdk/anthropic"; const model = anthropic("…");
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

const { text, steps } = await generateText({
  model,
  tools: aiSdkTools(gate, { principal: "ana" }),
  stopWhen: isStepCount(10),
  prompt: "Order 50 of everything that is running low.",
});

for (const { toolName, output } of steps.flatMap((step) => step.toolResults)) {
  const [first, second = ""] = (output as MetaToolResult).text.split("\n");
  console.log(`${toolName}: ${first} ${second}`.trimEnd());
}
console.log(text);
