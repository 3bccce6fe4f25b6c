// Owns one call on one connection: its requests, the questions of the server between them, and what came of it.
import type { CallToolRequest, Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../contract/json.ts";
import { mcpMethod } from "../../contract/methods.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { readCallResult } from "./call-result.ts";
import { pause, type Clock } from "./clock.ts";
import { readFailure, type Failure } from "./failure.ts";
import type { Guard } from "./guard.ts";
import { answerRound, MAX_ROUNDS, readInputRequired, type NextRound } from "./input-rounds.ts";
import { schemaForSdk } from "./list-walk.ts";
import { callMethod } from "./method-call.ts";
import type { OpenCall, OpenCalls } from "./open-calls.ts";
import type { Progress, UpstreamCallOptions, UpstreamResult } from "./upstream.ts";
import type { Wire } from "./wire.ts";

/** The SDK's own limits are out of the way: deadlines are kept by the caller. */
export const NO_TIMEOUT = 2_147_483_647;
/** Before a call is repeated that the server only wants to see again. */
const STATE_ONLY_MS = 250;

export interface ConnectionCall extends Pick<UpstreamCallOptions, "signal">, OpenCall {
  readonly onProgress: (progress: Progress) => void;
  readonly meta: UpstreamCallOptions["meta"] | undefined;
  readonly onRequest: UpstreamCallOptions["onRequest"] | undefined;
}

/** What a call needs of its connection. */
export interface ToolCallParts {
  readonly client: Client;
  readonly guard: Guard;
  readonly wire: Wire;
  readonly openCalls: OpenCalls;
  readonly clock: Clock;
  readonly onNote: (note: string) => void;
}

type CallEnd = { readonly result: UpstreamResult } | { readonly failure: Failure };

/** Resolves with the result or with what went wrong; never rejects. */
export async function callTool(
  parts: ToolCallParts,
  tool: ToolDefinition,
  args: JsonObject,
  options: ConnectionCall,
): Promise<CallEnd> {
  const { guard, wire, openCalls } = parts;
  if (mcpMethod(tool.name) !== undefined) return requestMethod(parts, tool, args, options);
  // A copy of its own, by whose identity the request is recognised on its way out; `__proto__` stays an own key.
  const own: Record<string, unknown> = { ...args };
  const ticket = guard.open(own as JsonObject, options);
  const left = openCalls.enter(options);
  try {
    const result = await requestUntilComplete(parts, tool, own, options);
    if (typeof result === "string") return { failure: { kind: "unusable", message: result } };
    const raw = ticket.result?.raw ?? (JSON.parse(JSON.stringify(result)) as JsonObject);
    return { result: readCallResult(raw, guard.modern) };
  } catch (error) {
    if (ticket.lost) {
      const message = "the connection broke before the answer came";
      return { failure: { kind: "unavailable", message, sent: true, dead: false } };
    }
    return { failure: readFailure(error, { sent: ticket.sent, session: wire.hasSession() }) };
  } finally {
    left(!ticket.sent || ticket.answered);
    guard.close(ticket);
  }
}

/** A call that is a request of the protocol itself: it counts as open, but nothing is asked during it. */
async function requestMethod(
  { client, wire, openCalls }: ToolCallParts,
  tool: ToolDefinition,
  args: JsonObject,
  options: ConnectionCall,
): Promise<CallEnd> {
  const left = openCalls.enter(options);
  try {
    const asking = { signal: options.signal, timeout: NO_TIMEOUT };
    return { result: await callMethod(client, tool.name, args, asking, options.meta) };
  } catch (error) {
    return { failure: readFailure(error, { sent: true, session: wire.hasSession() }) };
  } finally {
    left(!options.signal.aborted);
  }
}

/** The result of the call, after all questions of the server; or in a sentence why it can have none. */
async function requestUntilComplete(
  { client, clock, onNote }: ToolCallParts,
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { signal, asker, hold, meta }: ConnectionCall,
): Promise<object | string> {
  let next: NextRound = {};
  for (let round = 0; ; round += 1) {
    // Security: exactly these members. What a script writes never reaches `_meta`, whose keys would win over the SDK's.
    const params = { name: tool.name, arguments: args, ...next, ...metaOf(meta) };
    const result: object = await client.callTool(params as CallToolRequest["params"], {
      signal,
      timeout: NO_TIMEOUT,
      // Asks the server for progress, which the guard delivers.
      onprogress: () => {},
      // Without outputSchema the SDK compiles nothing (and leaks nothing), and a done call is never thrown away.
      toolDefinition: { name: tool.name, inputSchema: schemaForSdk(tool.inputSchema) },
      allowInputRequired: true,
    });
    const input = readInputRequired(result);
    if (input === undefined) return result;
    if (round === MAX_ROUNDS) return `it asked for input in ${MAX_ROUNDS} rounds and still had not enough`;
    if (input.requests.size === 0) await pause(clock, STATE_ONLY_MS, signal);
    const resume = hold();
    try {
      const answered = await answerRound(input, asker, { signal, onNote });
      if (typeof answered === "string") return answered;
      next = answered;
    } finally {
      resume();
    }
    signal.throwIfAborted();
  }
}

function metaOf(meta: UpstreamCallOptions["meta"] | undefined): { _meta?: Record<string, string> } {
  return meta === undefined ? {} : { _meta: { ...meta } };
}
