// Owns the opening that is measured: one gate over fifty kept servers, in a process of its own. Prints milliseconds as JSON.
import { childMemory } from "../runtime/memory.ts";

const [, , folder = "", serversJson = "{}"] = process.argv;
const before = performance.now();
const { createCallgate } = await import("../../index.ts");
const imported = performance.now();
const gate = await createCallgate({
  servers: JSON.parse(serversJson) as Record<string, unknown>,
  catalogCache: { folder },
});
const ready = performance.now();
const tools = gate.catalog.list({ detail: "name" }).length;
const { length: found } = await gate.catalog.search("do thing 7 of those that are open", { limit: 5 });
const searched = performance.now();
console.log(
  JSON.stringify({
    importMs: imported - before,
    readyMs: ready - imported,
    searchMs: searched - ready,
    tools,
    found,
    states: [...new Set(gate.servers().map(({ state }) => state))],
    children: childMemory().length,
  }),
);
await gate[Symbol.asyncDispose]();
