// A scripted HTTP server of the older era, and upstreams that talk to it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { McpServerConfig } from "../../../broker/upstream/config.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { names, open } from "./support.ts";

export interface Exchange {
  readonly method: string;
  readonly id: number | string | undefined;
  readonly params: Record<string, unknown>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  answer(result: unknown): void;
  stream(...messages: unknown[]): void;
  refuse(status: number, text?: string, headers?: Record<string, string>): void;
}

export interface Faulty {
  readonly url: string;
  readonly seen: {
    readonly verb: string;
    readonly method: string;
    readonly headers: IncomingMessage["headers"];
  }[];
  forget(): void;
}

/** An HTTP server of the older era with sessions; `call` answers `tools/call`, `first` comes before everything. */
export async function serve(options: {
  readonly call?: (exchange: Exchange) => void;
  readonly first?: (exchange: Exchange) => boolean;
}): Promise<Faulty> {
  const sessions = new Set<string>();
  const seen: Faulty["seen"] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", id, params = {} } = (body === "" ? {} : JSON.parse(body)) as Partial<Exchange>;
    seen.push({ verb: request.method ?? "", method, headers: request.headers });
    const exchange: Exchange = {
      method,
      id,
      params,
      request,
      response,
      answer(result) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      },
      stream(...messages) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
      },
      refuse(status, text = "", headers = {}) {
        response.writeHead(status, headers);
        response.end(text);
      },
    };
    if (options.first?.(exchange) === true) return;
    const session = request.headers["mcp-session-id"];
    if (request.method === "DELETE") {
      sessions.delete(String(session));
      return exchange.refuse(200);
    }
    if (request.method !== "POST") return exchange.refuse(405);
    if (method === "server/discover") return exchange.refuse(400, "no such method");
    if (method === "initialize") {
      const name = `session-${sessions.size + seen.length}`;
      sessions.add(name);
      response.setHeader("mcp-session-id", name);
      const { protocolVersion } = params;
      return exchange.answer({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "f", version: "1" },
      });
    }
    if (!sessions.has(String(session))) return exchange.refuse(404, "Session not found");
    if (id === undefined) return exchange.refuse(202);
    if (method === "tools/list")
      return exchange.answer({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
    return (options.call ?? ((to) => to.answer({ content: [{ type: "text", text: "fine" }] })))(exchange);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, seen, forget: () => sessions.clear() };
}

export async function opened(
  server: Faulty,
  config: Partial<McpServerConfig> = {},
  options: Parameters<typeof open>[1] = {},
): Promise<Upstream> {
  const upstream = open({ type: "http", url: server.url, ...config }, options);
  await names(upstream);
  return upstream;
}
