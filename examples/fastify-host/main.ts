// Starts the host on loopback and drives it as two users would: each has own notes and an own budget.
import { createCallgate } from "callgate";
import { createHost } from "./host.ts";
import { noteTools } from "./notes.ts";

let heard: (() => void) | undefined;
const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));
const notes = noteTools((what) => {
  console.log(`host: ${what}`);
  heard?.();
});

await using gate = await createCallgate({
  tools: { notes },
  policy: { default: "allow", budgets: { "notes.add": { calls: 3, per: "principal" } } },
});
const host = createHost(
  gate,
  new Map([
    ["token-of-ann", "ann"],
    ["token-of-bob", "bob"],
  ]),
);
const url = await host.listen({ host: "127.0.0.1", port: 0 });

async function ask(user: string, path: string, init: RequestInit = {}): Promise<void> {
  const headers = { authorization: `Bearer token-of-${user}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { headers, ...init });
  console.log(`${user}: ${response.status} ${await response.text()}`);
}
const run = (user: string, script: string, signal: AbortSignal | null = null): Promise<void> =>
  ask(user, "/run", { method: "POST", body: JSON.stringify({ script }), signal });

await ask("eve", "/tools");
await ask("ann", "/tools");
await run("ann", 'await notes.add({ text: "milk" }); await notes.add({ text: "tea" });');
await run("bob", 'await notes.add({ text: "nails" });');
await run("ann", "return (await notes.list({})).notes;");
await run("bob", "return (await notes.list({})).notes;");

// Three notes a user: ann's fourth is refused, bob has two left.
await run("ann", 'await notes.add({ text: "eggs" }); await notes.add({ text: "jam" });');
await run("bob", 'return notes.add({ text: "glue" });');

// A client that goes away takes its run along.
const leaving = new AbortController();
const begun = next();
const left = run("ann", "await notes.back_up({});", leaving.signal).catch(() =>
  console.log("ann: went away"),
);
await begun;
const cancelled = next();
leaving.abort();
await Promise.all([left, cancelled]);

// Closing answers who is still waiting.
const waiting = next();
const last = run("bob", "await notes.back_up({});");
await waiting;
await Promise.all([host.close(), last]);
