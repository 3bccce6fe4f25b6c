// An agent loop over the OpenAI Responses API and one gate: the model finds a tool, writes a script, repairs it.
import { createCallgate, defineTool } from "callgate";
import { handleFunctionCalls, openaiTools } from "callgate/openai";
import OpenAI from "openai";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import { z } from "zod";
import { scripted } from "./model.ts";

// For a real model: const client = new OpenAI(); and its name below.
const client = new OpenAI({ apiKey: "none", fetch: scripted });

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

const tools = openaiTools(gate);
const input: OpenAI.Responses.ResponseInput = [
  { role: "user", content: "Order 50 of everything that is running low." },
];
for (;;) {
  const response = await client.responses.create({ model: "scripted", tools, input });
  const outputs = await handleFunctionCalls(gate, response, { principal: "ana" });
  input.push(...toResponseInputItems(response.output), ...outputs);
  for (const { output } of outputs) {
    if (typeof output === "string") console.log(output.split("\n").slice(0, 2).join(" "));
  }
  if (outputs.length > 0) continue;
  console.log(response.output_text);
  break;
}
