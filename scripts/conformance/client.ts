// Owns the client that the conformance suite judges: a gate on the suite's server, and a script that calls its tools.
// `client.ts <url>` runs it alone, with the scenario and the revision in the environment as the suite gives them.
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { createCallgate, createMemoryTokens, type Gate, type JsonObject } from "../../index.ts";
import { createPerson, oauthOf } from "./sign-in.ts";

/** What the suite tells a client. */
export interface ClientTask {
  readonly url: string;
  readonly scenario: string;
  /** Protocol revision. */
  readonly revision: string;
  /** JSON text of the scenario's own data. */
  readonly context: string;
}

export interface ClientEnd {
  readonly code: number;
  /** For who reads the suite's logs. */
  readonly log: string;
}

interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Arguments of the tools that need some; the suite gives those of other tools in its context. */
const ARGUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["add_numbers", { a: 5, b: 3 }],
  ["valid_tool", { region: "eu-west" }],
  ["lookup_user", { id: "someone" }],
]);

/** Never rejects: what cannot be opened or run is the end with code 1. */
export async function runClient(task: ClientTask, signal: AbortSignal): Promise<ClientEnd> {
  const log: string[] = [];
  const note = (value: unknown): unknown => log.push(typeof value === "string" ? value : inspect(value));
  let code = 1;
  try {
    const context = JSON.parse(task.context) as { readonly toolCalls?: readonly ToolCall[] };
    const { toolCalls } = context;
    const peer = {
      type: "http",
      url: task.url,
      protocolEra: task.revision === "2026-07-28" ? "modern" : "legacy",
      ...(task.scenario.startsWith("auth/") && { oauth: oauthOf(task.scenario, { ...context }) }),
    };
    const store = createMemoryTokens();
    const person = createPerson("peer", peer, { store, signal });
    await using gate = await createCallgate({
      servers: { peer },
      auth: { store },
      policy: { default: "allow" },
      sandbox: { workers: 1 },
      // A person who leaves every field as it is.
      elicit: () => Promise.resolve({ action: "accept" }),
    });
    await listed(gate, signal);
    while (await person.satisfy(gate)) await listed(gate, signal);
    note(gate.servers());
    note(gate.notes);
    const calls = gate.catalog.list({ server: "peer" }).flatMap(({ tool, identifier }) => {
      const sample: ToolCall = { name: tool, arguments: ARGUMENTS.get(tool) ?? {} };
      const wanted = toolCalls?.filter(({ name }) => name === tool) ?? [sample];
      return wanted.map((call) => ({ identifier, arguments: withoutNulls(call.arguments) }));
    });
    do {
      const { status, output, error } = await gate.run(scriptOf(calls), { check: "off", signal });
      note(output);
      if (error !== undefined) note(error);
      code = status === "completed" ? 0 : 1;
    } while (await person.satisfy(gate));
  } catch (error) {
    note(error);
  }
  return { code, log: log.join("\n") };
}

/** On a busy machine the gate opens before the server has listed its tools. */
async function listed(gate: Gate, signal: AbortSignal): Promise<void> {
  while (gate.servers().some(({ state }) => state === "connecting")) {
    await pause(200, undefined, { signal });
    await gate.check("");
  }
}

/** The broker refuses null where the schema has no null; to leave a value out is the other way to say that there is none. */
function withoutNulls(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** A script that makes all calls at once, so that what belongs to one of them can be seen to leak into another. */
function scriptOf(calls: readonly { readonly identifier: string; readonly arguments: JsonObject }[]): string {
  const lines = calls.map((call) => `  peer.${call.identifier}(${JSON.stringify(call.arguments)}),`);
  return [
    "const ends = await Promise.allSettled([",
    ...lines,
    "]);",
    "for (const end of ends) console.log(end.status, end.value ?? end.reason.message);",
  ].join("\n");
}

if (import.meta.main) {
  const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT } = process.env;
  const task: ClientTask = {
    url: process.argv.at(-1) ?? "",
    scenario: MCP_CONFORMANCE_SCENARIO ?? "",
    revision: MCP_CONFORMANCE_PROTOCOL_VERSION ?? "",
    context: MCP_CONFORMANCE_CONTEXT ?? "{}",
  };
  const { code, log } = await runClient(task, new AbortController().signal);
  console.error(log);
  process.exitCode = code;
}
