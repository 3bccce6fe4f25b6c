// The options every adapter passes on to a run, seen through one of them.
import { expect, test } from "vitest";
import { handleToolCalls } from "../../adapters/openai.ts";
import { verifies } from "../requirements.ts";
import { openShop, RIGHT_SCRIPT, runs } from "./support.ts";

const { id, name, input } = runs(RIGHT_SCRIPT);
const message = { tool_calls: [{ id, type: "function" as const, function: { name, arguments: input } }] };

test(
  verifies("adapters:options", "labels of the conversation are held against the calls of a script"),
  async () => {
    const flows = [{ id: "leak", from: "private", to: "shop.sell", effect: "deny" }];
    await using shop = await openShop({ policy: { default: "allow", flows } });
    const [refused] = await handleToolCalls(shop.gate, message, { labels: ["private"] });
    const [done] = await handleToolCalls(shop.gate, message, { labels: ["public"] });
    expect(refused?.content).toMatch(/CALL_DENIED/);
    expect(done?.content).toMatch(/^sold 1/);
    expect(shop.sold).toEqual(["tea"]);
  },
);

test(verifies("adapters:options", "progress tells of each call that starts and ends"), async () => {
  await using shop = await openShop();
  const told: unknown[] = [];
  await handleToolCalls(shop.gate, message, { onProgress: (progress) => told.push(progress) });
  expect(told).toEqual([
    { done: 0, open: 1 },
    { done: 1, open: 0 },
  ]);
});
