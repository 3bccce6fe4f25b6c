// A gate over local tools for the tests of the public surface.
import { createCallgate, defineTool, type CallgateOptions, type Gate } from "../../index.ts";
import { z } from "zod";

export interface Shop {
  readonly gate: Gate;
  readonly sold: string[];
}

/** `shop.sell` counts, `shop.find` reads, `shop.burn` always fails. */
export async function openShop(options: CallgateOptions = {}): Promise<Shop & AsyncDisposable> {
  const sold: string[] = [];
  const shop = {
    sell: defineTool({
      description: "Sells one item.",
      input: z.object({ item: z.string() }),
      output: z.object({ total: z.number() }),
      run: ({ item }) => ({ total: sold.push(item) }),
    }),
    find: defineTool({
      description: "Finds items.",
      input: z.object({ query: z.string() }),
      annotations: { readOnlyHint: true },
      run: ({ query }) => [query],
    }),
    burn: defineTool({
      description: "Always fails.",
      input: z.object({}),
      run: () => {
        throw new Error("it burns");
      },
    }),
  };
  const gate = await createCallgate({ tools: { shop }, policy: { default: "allow" }, ...options });
  return { gate, sold, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}
