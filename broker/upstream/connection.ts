// Owns one connection to one MCP server: negotiated, listing tools, calling them, told of changes.
import { Client, type ConnectOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { readCallResult } from "./call-result.ts";
import { pause, type Clock } from "./clock.ts";
import type { Era } from "./era.ts";
import { readFailure, type Failure } from "./failure.ts";
import { guardTransport, type Guard } from "./guard.ts";
import { mentionsHeader, schemaForSdk } from "./list-walk.ts";
import { MAX_PAGES } from "./list-walk.ts";
import { readTools, type ToolList } from "./tool-list.ts";
import type { Wire } from "./wire.ts";
import type { Progress, UpstreamResult } from "./upstream.ts";

/** The SDK's own limits are out of the way: deadlines are kept by the caller. */
const NO_TIMEOUT = 2_147_483_647;
const RELISTEN_MS = 1_000;
const RELISTEN_MAX_MS = 60_000;

export interface ConnectionOptions {
  readonly server: string;
  readonly clock: Clock;
  /** `undefined` asks the server; else the era is taken as known. */
  readonly era: Era | undefined;
  /** How long a stdio server may take to answer the question which era it speaks, ms. */
  readonly probeMs: number;
  readonly connectMs: number;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

export interface Connection {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly openedAt: number;
  list(signal: AbortSignal): Promise<ToolList>;
  /** Resolves with the result or with what went wrong; never rejects. */
  call(
    tool: ToolDefinition,
    args: JsonObject,
    options: { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void },
  ): Promise<{ readonly result: UpstreamResult } | { readonly failure: Failure }>;
  close(): Promise<void>;
}

/** Connects over `wire`, which is closed when that fails. Rejects with the SDK's error. */
export async function openConnection(wire: Wire, options: ConnectionOptions): Promise<Connection> {
  const { clock } = options;
  const guard = guardTransport(wire.transport, { stdio: wire.kind === "stdio" });
  // Elicitation, sampling and roots are not declared: nobody is there to answer.
  const client = new Client(options.clientInfo, {
    capabilities: {},
    listMaxPages: MAX_PAGES + 1,
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
  const life = new AbortController();
  client.onclose = () => {
    life.abort(new Error("closed"));
    options.onClosed();
  };
  const connectOptions: ConnectOptions = { timeout: options.connectMs };
  if (options.era === "legacy") connectOptions.prior = { kind: "legacy" };
  const close = async (): Promise<void> => {
    life.abort(new Error("closed"));
    await client.close().catch(() => {});
    await wire.close();
  };
  try {
    await client.connect(guard.transport, connectOptions);
  } catch (error) {
    await close();
    throw error;
  }
  const era = client.getProtocolEra() ?? "legacy";
  guard.modern = era === "modern";
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  if (guard.modern && client.getServerCapabilities()?.tools?.listChanged === true) {
    void keepListening(client, clock, options.onToolsChanged, life.signal);
  }
  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    openedAt: clock.now(),
    list: (signal) => listTools(client, guard, options.server, signal),
    call: (tool, args, callOptions) => callTool(client, guard, wire, tool, args, callOptions),
    async close() {
      await wire.endSession();
      await close();
    },
  };
}

async function listTools(
  client: Client,
  guard: Guard,
  server: string,
  signal: AbortSignal,
): Promise<ToolList> {
  guard.walk.restart();
  const listed = await client.listTools(undefined, { signal, timeout: NO_TIMEOUT, cacheMode: "bypass" });
  const shown = new Set(listed.tools.map((tool) => tool.name));
  const read = readTools(server, guard.walk.raw);
  const excluded = read.tools.filter((tool) => !shown.has(tool.name) && mentionsHeader(tool.inputSchema));
  return {
    tools: read.tools.filter((tool) => !excluded.includes(tool)),
    notes: [
      ...guard.walk.notes,
      ...read.notes,
      ...excluded.map(
        (tool) => `tool ${JSON.stringify(tool.name)} was dropped: it asks for an invalid HTTP header`,
      ),
    ],
  };
}

async function callTool(
  client: Client,
  guard: Guard,
  wire: Wire,
  tool: ToolDefinition,
  args: JsonObject,
  options: { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void },
): Promise<{ readonly result: UpstreamResult } | { readonly failure: Failure }> {
  // A copy of its own, by whose identity the request is recognised on its way out; `__proto__` stays an own key.
  const own: Record<string, unknown> = { ...args };
  const ticket = guard.open(own as JsonObject, options.onProgress);
  try {
    // Security: exactly these two members. What a script writes never reaches `_meta`, whose keys would win over ours.
    const params = { name: tool.name, arguments: own };
    const result = await client.callTool(params, {
      signal: options.signal,
      timeout: NO_TIMEOUT,
      // Asks the server for progress, which the guard delivers.
      onprogress: () => {},
      // Without outputSchema the SDK compiles nothing (and leaks nothing), and a done call is never thrown away.
      toolDefinition: { name: tool.name, inputSchema: schemaForSdk(tool.inputSchema) },
    });
    const raw = ticket.result?.raw ?? (JSON.parse(JSON.stringify(result)) as JsonObject);
    return { result: readCallResult(raw, guard.modern) };
  } catch (error) {
    if (ticket.lost) {
      const message = "the connection broke before the answer came";
      return { failure: { kind: "unavailable", message, sent: true, dead: false } };
    }
    return { failure: readFailure(error, { sent: ticket.sent, session: wire.hasSession() }) };
  } finally {
    guard.close(ticket);
  }
}

/** Keeps one subscription open; after a break the list may have changed unheard. */
async function keepListening(
  client: Client,
  clock: Clock,
  onChanged: () => void,
  signal: AbortSignal,
): Promise<void> {
  let delay = RELISTEN_MS;
  for (let again = false; !signal.aborted; again = true) {
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      delay = RELISTEN_MS;
      if (again) onChanged();
      if ((await subscription.closed) === "local") return;
    } catch (error) {
      if (readFailure(error, { sent: false, session: false }).kind === "rpc") return;
    }
    await pause(clock, delay, signal);
    delay = Math.min(delay * 2, RELISTEN_MAX_MS);
  }
}
