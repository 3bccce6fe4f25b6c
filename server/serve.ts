// Owns Callgate as an MCP server: the parts its clients share, and the order in which everything ends.
import { randomBytes } from "node:crypto";
import { createRequestStateCodec, type CallToolResult } from "@modelcontextprotocol/server";
import type { Gate } from "../index.ts";
import { listen, type HttpOptions, type HttpServing } from "./http/listen.ts";
import type { Shared } from "./protocol.ts";
import { createRounds, type RoundState } from "./rounds.ts";
import { openStdio, type StdioServing, type StdioStreams } from "./stdio.ts";
import { DEFAULT_TOOLS, offerTools, type ToolName } from "./tools.ts";

export interface ServerOptions {
  /** @defaultValue search_tools, get_tool_details, run_script */
  readonly tools?: readonly ToolName[];
  /** False: questions go to the gate's own `approve`, not to the client that started the run. @defaultValue true */
  readonly asksClients?: boolean;
  /** What clients are told. @defaultValue "unknown" */
  readonly version?: string;
  /** Told of errors that no client is told of. @defaultValue nothing */
  readonly onError?: (error: Error) => void;
}

export interface CallgateServer extends AsyncDisposable {
  /** Serves the one client at the other end of stdin and stdout. */
  stdio(streams?: StdioStreams): StdioServing;
  /** Serves Streamable HTTP. Throws CONFIG_INVALID for an address or token that cannot be used. */
  http(options?: HttpOptions): Promise<HttpServing>;
}

/** Serves a gate to MCP clients of every era. Disposing ends its runs, then its connections; the gate stays open. */
export function createCallgateServer(gate: Gate, options: ServerOptions = {}): CallgateServer {
  const closing = new AbortController();
  const rounds = createRounds<CallToolResult>();
  const working = new Set<Promise<unknown>>();
  const serving: AsyncDisposable[] = [];
  const shared: Shared = {
    tools: offerTools(gate, options.tools ?? DEFAULT_TOOLS),
    asksClients: options.asksClients ?? true,
    rounds,
    // Security: a state is good for this process and the holder of the token it was made for.
    codec: createRequestStateCodec<RoundState>({
      key: randomBytes(32),
      bind: (context) => context.http?.authInfo?.clientId ?? "",
    }),
    version: options.version ?? "unknown",
    closing: closing.signal,
    onError: options.onError ?? (() => {}),
    async track(work) {
      working.add(work);
      try {
        return await work;
      } finally {
        working.delete(work);
      }
    },
  };
  return {
    stdio(streams = {}) {
      const opened = openStdio(shared, streams);
      serving.push(opened);
      return opened;
    },
    async http(http = {}) {
      const opened = await listen(shared, http);
      serving.push(opened);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("Callgate is closing."));
      await Promise.allSettled([...working, rounds[Symbol.asyncDispose]()]);
      await Promise.allSettled(serving.splice(0).map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
