// Stands in for the API, so that the example needs no key: it says the same four things every time.
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

/** A fetch for the client. */
export async function scripted(): Promise<Response> {
  const { name, input, text } = turns[turn++] ?? { text: "" };
  const item =
    name === undefined
      ? {
          type: "message",
          id: "msg",
          role: "assistant",
          content: [{ type: "output_text", text, annotations: [] }],
        }
      : { type: "function_call", call_id: `call_${turn}`, name, arguments: JSON.stringify(input) };
  return Response.json({ id: "resp", object: "response", status: "completed", output: [item] });
}
