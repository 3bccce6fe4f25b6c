// Stands in for a model, so that the example needs no key: it says the same four things every time.
import { AIMessage } from "@langchain/core/messages";
import { fakeModel, type FakeBuiltModel } from "@langchain/core/testing";

const script = (property: string): string =>
  `const { shelves } = await stock.list({});
const low = shelves.filter((shelf) => shelf.${property} < 5);
return (await Promise.all(low.map(({ item }) => stock.order({ item, count: 50 })))).join(", ");`;

export const model: FakeBuiltModel = fakeModel()
  .respondWithTools([{ name: "search_tools", args: { query: "order items that run low" } }])
  .respondWithTools([{ name: "run_script", args: { script: script("count") } }])
  .respondWithTools([{ name: "run_script", args: { script: script("left") } }])
  .respond(new AIMessage("I ordered bolts and screws, 50 of each."));
