// Stands in for the API, so that the example needs no key: it says the same four things every time.
const script = (property: string): string =>
  `const { shelves } = await stock.list({});
const low = shelves.filter((shelf) => shelf.${property} < 5);
return (await Promise.all(low.map(({ item }) => stock.order({ item, count: 50 })))).join(", ");`;

const turns = [
  { text: "I look for a tool.", name: "search_tools", input: { query: "order items that run low" } },
  { text: "I order what runs low.", name: "run_script", input: { script: script("count") } },
  { text: "The property is called left.", name: "run_script", input: { script: script("left") } },
  { text: "I ordered bolts and screws, 50 of each." },
];

/** A fetch for the client. What a tool answered is printed as the API gets it. */
export async function scripted(_url: unknown, init?: { readonly body?: unknown }): Promise<Response> {
  const { messages } = JSON.parse(String(init?.body)) as {
    messages: { content: { content: { text: string }[] }[] }[];
  };
  const answered = messages.length > 1 ? messages.at(-1)?.content[0]?.content[0]?.text : undefined;
  if (answered !== undefined) console.log(`  → ${answered.split("\n").slice(0, 2).join(" ")}`);
  const { text, name, input } = turns[(messages.length - 1) / 2] ?? { text: "" };
  return Response.json({
    id: "msg",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      { type: "text", text },
      ...(name === undefined ? [] : [{ type: "tool_use", id: `toolu_${messages.length}`, name, input }]),
    ],
    stop_reason: name === undefined ? "end_turn" : "tool_use",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
}
