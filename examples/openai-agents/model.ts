// Stands in for a model, so that the example needs no key: it says the same four things every time.
import { Usage, type Model, type ModelResponse } from "@openai/agents";

const script = (property: string): string =>
  `const { shelves } = await stock.list({});
const low = shelves.filter((shelf) => shelf.${property} < 5);
return (await Promise.all(low.map(({ item }) => stock.order({ item, count: 50 })))).join(", ");`;

const turns = [
  { name: "search_tools", input: { query: "order items that run low" } },
  { name: "run_script", input: { script: script("count") } },
  { name: "run_script", input: { script: script("left") } },
  { text: "I ordered bolts and screws, 50 of each." },
];

let turn = 0;

export const model: Model = {
  async getResponse(): Promise<ModelResponse> {
    const { name, input, text = "" } = turns[turn++] ?? {};
    const output: ModelResponse["output"] =
      name === undefined
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text }],
            },
          ]
        : [
            {
              type: "function_call",
              callId: `call_${turn}`,
              name,
              arguments: JSON.stringify(input),
              status: "completed",
            },
          ];
    return { usage: new Usage(), output };
  },
  getStreamedResponse() {
    throw new Error("This model does not stream.");
  },
};
