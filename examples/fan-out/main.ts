// Asks for 24 quotes at once, of an API that costs money: the policy pays for 20 of them, four at a time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createCallgate, defineTool } from "callgate";
import { z } from "zod";

let open = 0;
let most = 0;
const get_quote = defineTool({
  description: "Gets the price of an article from the supplier. Each quote is billed.",
  input: z.object({ article: z.string() }),
  output: z.object({ price: z.number() }),
  run: async ({ article }) => {
    most = Math.max(most, ++open);
    await wait(20);
    open -= 1;
    return { price: 10 + (Number(article.slice(1)) % 7) };
  },
});

await using gate = await createCallgate({
  tools: { supplier: { get_quote } },
  policy: { default: "allow", budgets: { "supplier.*": { calls: 20, concurrency: 4 } } },
});
const { status, output, calls } = await gate.run(
  readFileSync(join(import.meta.dirname, "script.ts"), "utf8"),
);

console.log(`${output}\n`);
console.log(
  `${status}: ${calls.filter((call) => call.status === "ok").length} of ${calls.length} calls were made`,
);
console.log(`at most ${most} at a time`);
