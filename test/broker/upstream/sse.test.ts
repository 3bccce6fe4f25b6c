// The oldest HTTP transport: one event stream per session, calls posted beside it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { ask, names, open, said, thrown } from "./support.ts";

interface SseServer {
  readonly url: string;
  /** Streams opened so far. */
  opened(): number;
  cut(): void;
  forget(): void;
}

async function serve(): Promise<SseServer> {
  const streams = new Map<string, ServerResponse>();
  const known = new Set<string>();
  let count = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const session = new URL(request.url ?? "/", "http://localhost").searchParams.get("session") ?? "";
    if (request.method === "GET") {
      const name = String((count += 1));
      streams.set(name, response);
      known.add(name);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /post?session=${name}\n\n`);
      return;
    }
    if (request.url === "/sse") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const stream = streams.get(session);
    if (!known.has(session) || stream === undefined)
      return void response.writeHead(404).end("no such session");
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    response.writeHead(202).end();
    const answers: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2024-11-05",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      },
      "tools/list": { tools: [{ name: "echo" }, { name: "hang" }] },
      "tools/call": { content: [{ type: "text", text: `session ${session}` }] },
    };
    const result = answers[method];
    if (id === undefined || params?.["name"] === "hang") return;
    stream.write(
      `data: ${JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error: { code: -32_601, message: "no" } })}\n\n`,
    );
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/sse`,
    opened: () => count,
    cut() {
      for (const stream of streams.values()) stream.destroy();
      streams.clear();
    },
    forget: () => known.clear(),
  };
}

test(
  verifies("upstream:eras", "an SSE server is found by its URL alone and speaks its old revision"),
  async () => {
    const server = await serve();
    const upstream = open({ url: server.url });
    expect(await names(upstream)).toEqual(["echo", "hang"]);
    expect(await said(ask(upstream, "echo"))).toBe("session 1");
    expect(upstream.status().protocolVersion).toBe("2024-11-05");
  },
);

test(
  verifies(
    ["upstream:http-broken", "upstream:restart"],
    "a broken stream fails the calls on it at once; the next call opens another",
  ),
  async () => {
    const server = await serve();
    const upstream = open({ type: "sse", url: server.url });
    await names(upstream);
    const hanging = thrown(ask(upstream, "hang", {}, { timeoutMs: 60_000 }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.cut();
    expect(await hanging).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent: true } });
    expect((await hanging).message).toMatch(/its event stream broke/);
    expect(await said(ask(upstream, "echo"))).toBe("session 2");
  },
);

test(
  verifies("upstream:session", "a forgotten SSE session is opened again and the call sent once more"),
  async () => {
    const server = await serve();
    const upstream = open({ type: "sse", url: server.url });
    await names(upstream);
    server.forget();
    expect(await said(ask(upstream, "echo"))).toBe("session 2");
    expect(server.opened()).toBe(2);
  },
);

test(verifies("upstream:no-process-left", "disposing closes the stream and opens no other"), async () => {
  const server = await serve();
  const upstream = open({ type: "sse", url: server.url });
  await names(upstream);
  await upstream[Symbol.asyncDispose]();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(server.opened()).toBe(1);
});
