// Stands in for a model, so that the example needs no key: it says the same four things every time.
import type { LanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const script = (property: string): string =>
  `const { shelves } = await stock.list({});
const low = shelves.filter((shelf) => shelf.${property} < 5);
return (await Promise.all(low.map(({ item }) => stock.order({ item, count: 50 })))).join(", ");`;

const turns = [
  { tool: "search_tools", input: { query: "order items that run low" } },
  { tool: "run_script", input: { script: script("count") } },
  { tool: "run_script", input: { script: script("left") } },
  { text: "I ordered bolts and screws, 50 of each." },
];

const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };

export const model: LanguageModel = new MockLanguageModelV4({
  doGenerate: turns.map(({ tool, input, text = "" }, index) => ({
    content:
      tool === undefined
        ? [{ type: "text", text }]
        : [{ type: "tool-call", toolCallId: `call-${index}`, toolName: tool, input: JSON.stringify(input) }],
    finishReason: { unified: tool === undefined ? "stop" : "tool-calls", raw: undefined },
    usage: { inputTokens: tokens, outputTokens: tokens },
    warnings: [],
  })),
});
