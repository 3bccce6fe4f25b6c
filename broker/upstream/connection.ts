// Owns one connection to one MCP server: negotiated, listing tools, calling them, told of changes.
import {
  Client,
  SseError,
  type ConnectOptions,
  type DiscoverResult,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { pause, raced, settledWithin, type Clock } from "./clock.ts";
import { createDeadline } from "./deadline.ts";
import type { Era } from "./era.ts";
import { readFailure, type Failure } from "./failure.ts";
import { guardTransport } from "./guard.ts";
import { methodTools } from "./method-tools.ts";
import { MAX_PAGES, mentionsHeader } from "./list-walk.ts";
import { createOpenCalls } from "./open-calls.ts";
import { callTool, NO_TIMEOUT, type ConnectionCall, type ToolCallParts } from "./tool-call.ts";
import { readTools, type ToolList } from "./tool-list.ts";
import type { Wire } from "./wire.ts";
import type { UpstreamResult } from "./upstream.ts";

const END_SESSION_MS = 1_000;
const RELISTEN_MS = 1_000;
const RELISTEN_MAX_MS = 60_000;

export interface ConnectionOptions {
  readonly server: string;
  readonly clock: Clock;
  /** `undefined` asks the server; else the era is taken as known. */
  readonly era: Era | undefined;
  /** The server's answer to `server/discover` as it was remembered; connecting then sends nothing. */
  readonly discover?: JsonObject | undefined;
  /** How long a stdio server may take to answer the question which era it speaks, ms. */
  readonly probeMs: number;
  readonly connectMs: number;
  /** Ends the attempt to connect; of no effect later. */
  readonly signal: AbortSignal;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
  /** Declares elicitation. */
  readonly elicits: boolean;
  readonly onNote: (note: string) => void;
}

export interface Connection {
  readonly era: Era;
  /** The server's own answer to `server/discover`, if it was asked or remembered. */
  readonly discover: JsonObject | undefined;
  readonly protocolVersion: string;
  readonly openedAt: number;
  /** False until a server that was taken as it is remembered has answered something. */
  proven(): boolean;
  /** The server says that it will tell when its tools change, and can. */
  tellsChanges(): boolean;
  /** Why the connection is gone; undefined while it lives. */
  ended(): string | undefined;
  /** All pages. Resolves with the list or with what went wrong; never rejects. */
  list(signal: AbortSignal): Promise<{ readonly list: ToolList } | { readonly failure: Failure }>;
  /** Resolves with the result or with what went wrong; never rejects. */
  call(
    tool: ToolDefinition,
    args: JsonObject,
    options: ConnectionCall,
  ): Promise<{ readonly result: UpstreamResult } | { readonly failure: Failure }>;
  /** Closes as soon as no request is in flight. */
  retire(): Promise<void>;
  /** Closes at once. */
  close(): Promise<void>;
}

/** Connects over `wire`, which is closed when that fails. Rejects with the SDK's error. */
export async function openConnection(wire: Wire, options: ConnectionOptions): Promise<Connection> {
  const { clock } = options;
  const { elicits } = options;
  const guard = guardTransport(wire.transport, { stdio: wire.kind === "stdio", elicits });
  const openCalls = createOpenCalls(clock, options.onNote);
  // Sampling and roots are never declared; elicitation only where somebody may be there to answer.
  const client = new Client(options.clientInfo, {
    capabilities: elicits ? { elicitation: { form: {} } } : {},
    listMaxPages: MAX_PAGES + 1,
    // Security: the SDK would put a question to a handler that cannot tell whose call it belongs to.
    inputRequired: { autoFulfill: false },
    versionNegotiation: {
      mode: options.era === "modern" ? { pin: "2026-07-28" } : "auto",
      // Over HTTP silence is an outage, not an old server, and there is no second try: give it the full time.
      probe: {
        timeoutMs: wire.kind === "stdio" && options.era === undefined ? options.probeMs : options.connectMs,
      },
    },
  });
  client.onerror = () => {
    // Every failure also rejects what waits for it; stray messages are of no use to anybody.
  };
  if (elicits) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      const { note: _note, ...reply } = await openCalls.ask(params, mcpReq.signal);
      return reply as ElicitResult;
    });
  }
  const life = new AbortController();
  let ended: string | undefined;
  client.onclose = () => {
    ended ??= wire.describeEnd("the connection closed");
    life.abort(new Error("closed"));
    options.onClosed();
  };
  const connectOptions: ConnectOptions = { timeout: options.connectMs };
  if (options.era === "legacy") connectOptions.prior = { kind: "legacy" };
  const { discover } = options;
  if (discover !== undefined)
    connectOptions.prior = { kind: "modern", discover: discover as unknown as DiscoverResult };
  const close = async (): Promise<void> => {
    life.abort(new Error("closed"));
    await client.close().catch(() => {});
    await wire.close();
  };
  using deadline = createDeadline({ signals: [options.signal], timeoutMs: options.connectMs, clock });
  try {
    // Raced, since starting a transport knows neither signal nor time limit.
    await raced(client.connect(guard.transport, connectOptions), deadline.signal);
  } catch (error) {
    await close();
    if (deadline.ended() !== "timeout") throw error;
    throw new Error(`it did not answer within ${options.connectMs} ms`, { cause: error });
  }
  client.onerror = (error) => {
    // The answers to calls in flight are lost with an SSE stream, and so is its session.
    if (!(error instanceof SseError)) return;
    ended ??= "its event stream broke";
    void close();
  };
  const era = client.getProtocolEra() ?? "legacy";
  guard.modern = era === "modern";
  const promised = client.getServerCapabilities()?.tools?.listChanged === true;
  let tells = promised;
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  if (guard.modern && promised) {
    tells = false;
    const heard = (hears: boolean): unknown => (tells = hears);
    void keepListening(client, clock, { onChanged: options.onToolsChanged, heard }, life.signal);
  }
  const inFlight = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    return work.finally(() => inFlight.delete(work));
  };
  const closeSoftly = async (): Promise<void> => {
    if (ended === undefined) await settledWithin(clock, wire.endSession(), END_SESSION_MS);
    await close();
  };
  const parts: Parts = {
    client,
    guard,
    wire,
    server: options.server,
    openCalls,
    clock,
    onNote: options.onNote,
  };
  return {
    era,
    discover: client.getDiscoverResult() as JsonObject | undefined,
    proven: () => discover === undefined || guard.answered,
    tellsChanges: () => tells,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    openedAt: clock.now(),
    ended: () => ended,
    list: (signal) => tracked(listTools(parts, signal)),
    call: (tool, args, callOptions) => tracked(callTool(parts, tool, args, callOptions)),
    async retire() {
      await Promise.race([
        Promise.all(inFlight),
        new Promise((done) => life.signal.addEventListener("abort", done)),
      ]);
      await closeSoftly();
    },
    close: closeSoftly,
  };
}

interface Parts extends ToolCallParts {
  readonly server: string;
}

async function listTools(
  { client, guard, wire, server }: Parts,
  signal: AbortSignal,
): Promise<{ readonly list: ToolList } | { readonly failure: Failure }> {
  guard.walk.restart();
  try {
    const shown = new Set(await shownTools(client, signal));
    const read = readTools(server, guard.walk.raw);
    const excluded = read.tools.filter((tool) => !shown.has(tool.name) && mentionsHeader(tool.inputSchema));
    const why = "was dropped: it asks for an invalid HTTP header";
    return {
      list: {
        tools: [...read.tools.filter((tool) => !excluded.includes(tool)), ...methodsOf(client, server)],
        notes: [
          ...guard.walk.notes,
          ...read.notes,
          ...excluded.map((tool) => `tool ${JSON.stringify(tool.name)} ${why}`),
        ],
        ...(guard.walk.ttlMs !== undefined && { ttlMs: guard.walk.ttlMs }),
      },
    };
  } catch (error) {
    return { failure: readFailure(error, { sent: true, session: wire.hasSession() }) };
  }
}

/** Names of the tools that the SDK lets pass. */
async function shownTools(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  // Of a server without tools the SDK writes to stdout, which is not its own, and lists nothing.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const listed = await client.listTools(undefined, { signal, timeout: NO_TIMEOUT, cacheMode: "bypass" });
  return listed.tools.map((tool) => tool.name);
}

function methodsOf(client: Client, server: string): readonly ToolDefinition[] {
  const declared = client.getServerCapabilities();
  return methodTools(server, (group) => declared?.[group] !== undefined);
}

/** Keeps one subscription open; after a break the list may have changed unheard. */
async function keepListening(
  client: Client,
  clock: Clock,
  hooks: { readonly onChanged: () => void; readonly heard: (hears: boolean) => void },
  signal: AbortSignal,
): Promise<void> {
  let delay = RELISTEN_MS;
  for (let again = false; !signal.aborted; again = true) {
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      delay = RELISTEN_MS;
      hooks.heard(true);
      if (again) hooks.onChanged();
      const closed = await subscription.closed;
      hooks.heard(false);
      if (closed === "local") return;
    } catch (error) {
      hooks.heard(false);
      if (readFailure(error, { sent: false, session: false }).kind === "rpc") return;
    }
    await pause(clock, delay, signal);
    delay = Math.min(delay * 2, RELISTEN_MAX_MS);
  }
}
