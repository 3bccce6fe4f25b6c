// HTTP servers that break off, refuse, redirect, forget their session or never end.
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { verifies } from "../../requirements.ts";
import { ask, names, never, open, said, thrown, toolOf } from "./support.ts";
import { type Exchange, serve, opened } from "./http-support.ts";

test(
  verifies("upstream:session", "a forgotten session is opened again, each refused call is sent once more"),
  async () => {
    const server = await serve({});
    const upstream = await opened(server);
    server.forget();
    expect(await Promise.all([1, 2, 3, 4].map(() => said(ask(upstream, "t"))))).toEqual(
      Array(4).fill("fine"),
    );
    const initialised = server.seen.filter(({ method }) => method === "initialize").length;
    expect(initialised).toBe(2);
    expect(server.seen.filter(({ method }) => method === "tools/call").length).toBeLessThanOrEqual(8);
  },
);

test(verifies("upstream:session", "a list asked for in a forgotten session is asked for again"), async () => {
  const server = await serve({
    call: (exchange) =>
      exchange.answer({ isError: true, content: [{ type: "text", text: "Unknown tool: t" }] }),
  });
  const upstream = await opened(server);
  await ask(upstream, "t");
  server.forget();
  expect(await names(upstream)).toEqual(["t"]);
  expect(upstream.status().notes).toEqual([]);
});

test(
  verifies("upstream:session", "a server that forgets every session fails the call, in bounded time"),
  async () => {
    const server = await serve({ call: (exchange) => exchange.refuse(404, "Session not found") });
    const upstream = await opened(server);
    expect(await thrown(ask(upstream, "t"))).toMatchObject({
      code: "CALL_UPSTREAM_UNAVAILABLE",
      data: { sent: false },
    });
    expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(2);
  },
);

test(verifies("upstream:session", "a session is ended when the upstream is disposed"), async () => {
  const server = await serve({});
  const upstream = await opened(server);
  await upstream[Symbol.asyncDispose]();
  expect(server.seen.at(-1)).toMatchObject({ verb: "DELETE" });
  expect(server.seen.at(-1)?.headers["mcp-session-id"]).toMatch(/^session-/);
});

test(
  verifies("upstream:no-process-left", "disposing does not wait for a server that answers no more"),
  async () => {
    const server = await serve({ first: ({ request }) => request.method === "DELETE" });
    const upstream = await opened(server);
    await upstream[Symbol.asyncDispose]();
    expect(upstream.status().state).toBe("closed");
  },
);

test.each<[string, (exchange: Exchange) => void]>([
  [
    "a stream that ends",
    (exchange) => {
      exchange.stream();
      exchange.response.end();
    },
  ],
  [
    "a stream that is cut",
    (exchange) => {
      exchange.stream({ jsonrpc: "2.0", method: "notifications/x" });
      setTimeout(() => exchange.response.destroy(), 20);
    },
  ],
  ["a connection that is cut", ({ request }) => request.socket.destroy()],
])(
  verifies(["upstream:http-broken", "upstream:sent"], "an answer lost on its way fails the call at once: %s"),
  async (_name, call) => {
    const upstream = await opened(await serve({ call }));
    const failure = await thrown(ask(upstream, "t", {}, { timeoutMs: 60_000 }));
    expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent: true } });
    expect(failure.message).toMatch(/the connection (?:broke|failed)/);
  },
);

test(
  verifies("upstream:http-broken", "a lost answer is not asked for again: the effect may be done"),
  async () => {
    const server = await serve({ call: ({ request }) => request.socket.destroy() });
    await thrown(ask(await opened(server), "t"));
    expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  },
);

test.each<[number, string, RegExp, boolean]>([
  [401, "", /wants authorization \(HTTP 401\): set headers\.Authorization/, false],
  [403, "scope missing", /refused access \(HTTP 403\): scope missing/, false],
  [429, "slow down", /HTTP 429: slow down/, false],
  [500, "oops\u001b[2J", /HTTP 500: oops/, true],
  [503, "", /HTTP 503/, true],
])(
  verifies(
    ["upstream:http-broken", "upstream:sent"],
    "a refused call says so and whether it may have arrived: %i",
  ),
  async (status, text, message, sent) => {
    const upstream = await opened(await serve({ call: (exchange) => exchange.refuse(status, text) }));
    const failure = await thrown(ask(upstream, "t"));
    expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent } });
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toContain("\u001b");
  },
);

test(
  verifies("upstream:http-broken", "a redirect to another host is not followed, credentials stay here"),
  async () => {
    const elsewhere = await serve({});
    const target = elsewhere.url.replace("127.0.0.1", "localhost");
    const server = await serve({ first: (to) => (to.refuse(307, "", { location: target }), true) });
    const upstream = open({
      url: server.url,
      type: "http",
      headers: { Authorization: "Bearer s3cret-token" },
    });
    const failure = await thrown(names(upstream));
    expect(failure.code).toBe("CALL_UPSTREAM_UNAVAILABLE");
    expect(failure.message).toMatch(/redirect/i);
    expect(failure.message).not.toContain("s3cret");
    expect(elsewhere.seen).toEqual([]);
  },
);

test(verifies("upstream:http-broken", "configured headers are sent with every request"), async () => {
  const server = await serve({});
  const upstream = await opened(server, { headers: { Authorization: "Bearer s3cret-token", "X-Team": "a" } });
  await ask(upstream, "t");
  expect(server.seen.length).toBeGreaterThan(3);
  for (const { headers } of server.seen) {
    expect(headers).toMatchObject({ authorization: "Bearer s3cret-token", "x-team": "a" });
  }
});

test(verifies("upstream:http-broken", "nobody at the URL, and no such host, are said plainly"), async () => {
  const gone = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => gone.once("listening", resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => gone.close(resolve));
  const nobody = await thrown(names(open({ url: `http://127.0.0.1:${port}/mcp` })));
  expect(nobody).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent: false } });
  expect(nobody.message).toMatch(/nothing listens at its URL \(ECONNREFUSED\)/);
  const forbidden = await thrown(names(open({ url: "http://127.0.0.1:9/mcp" })));
  expect(forbidden.message).toMatch(/bad port/);
  const nowhere = await thrown(names(open({ url: "http://no-such-host.invalid/mcp" })));
  expect(nowhere.message).toMatch(/the host of its URL was not found/);
});

test(verifies("upstream:http-broken", "an answer that is no JSON fails its call only"), async () => {
  let html = true;
  const server = await serve({
    call(exchange) {
      if (!html) return exchange.answer({ content: [] });
      exchange.response.writeHead(200, { "content-type": "text/html" });
      return exchange.response.end("<h1>Welcome</h1>");
    },
  });
  const upstream = await opened(server);
  expect((await thrown(ask(upstream, "t"))).code).toMatch(/CALL_(?:UPSTREAM_UNAVAILABLE|TOOL_ERROR)/);
  html = false;
  expect((await ask(upstream, "t")).content).toEqual([]);
});

test(verifies("upstream:oversize", "an answer without end is broken off"), async () => {
  const endless = (type: string) => (exchange: Exchange) => {
    exchange.response.writeHead(200, { "content-type": type });
    const more = (): void => {
      while (!exchange.response.destroyed && exchange.response.write("x".repeat(1 << 16))) {
        // Until the other side takes no more.
      }
    };
    exchange.response.write("data: ");
    exchange.response.on("drain", more);
    more();
  };
  for (const type of ["application/json", "text/event-stream"]) {
    const upstream = await opened(await serve({ call: endless(type) }), {}, { messageBytes: 1 << 20 });
    const failure = await thrown(ask(upstream, "t", {}, { timeoutMs: 30_000 }));
    expect(failure.code).toBe("CALL_UPSTREAM_UNAVAILABLE");
  }
});

test(
  verifies("upstream:oversize", "a stream may be long as a whole as long as its messages are not"),
  async () => {
    const server = await serve({
      call(exchange) {
        const note = {
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { data: "x".repeat(200_000) },
        };
        const result = { content: [{ type: "text", text: "at last" }] };
        exchange.stream(...Array(20).fill(note), { jsonrpc: "2.0", id: exchange.id, result });
        exchange.response.end();
      },
    });
    const upstream = await opened(server, {}, { messageBytes: 1 << 20 });
    expect(await said(ask(upstream, "t"))).toBe("at last");
  },
);

test(verifies("upstream:progress", "progress over an event stream is passed on"), async () => {
  const server = await serve({
    call(exchange) {
      const { progressToken } = exchange.params["_meta"] as { progressToken: number };
      const step = (progress: number): object => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress, message: "m" },
      });
      const result = { content: [{ type: "text", text: "done" }] };
      exchange.stream(step(1), step(2), { jsonrpc: "2.0", id: exchange.id, result });
      exchange.response.end();
    },
  });
  const upstream = await opened(server);
  const steps: number[] = [];
  const options = {
    signal: never,
    timeoutMs: 5_000,
    onProgress: (p: { progress: number }) => steps.push(p.progress),
  };
  expect(await said(upstream.call(toolOf("t"), {}, options))).toBe("done");
  expect(steps).toEqual([1, 2]);
});

test(
  verifies("upstream:timeout", "a silent HTTP call ends at its limit, and the server is told"),
  async () => {
    const server = await serve({ call: () => {} });
    const upstream = await opened(server);
    expect((await thrown(ask(upstream, "t", {}, { timeoutMs: 150 }))).code).toBe("CALL_TIMEOUT");
    while (!server.seen.some(({ method }) => method === "notifications/cancelled")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  },
);

test(verifies("upstream:timeout", "a server that never answers the first question is given up"), async () => {
  const server = await serve({ first: () => true });
  const upstream = open({ url: server.url }, { connectTimeoutMs: 300 });
  const failure = await thrown(names(upstream));
  expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent: false } });
});

test(
  verifies(
    "upstream:timeout",
    "an SSE server that never names its endpoint is given up, and disposing does not hang",
  ),
  async () => {
    const server = await serve({
      first({ response }) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": hello\n\n");
        return true;
      },
    });
    const upstream = open({ type: "sse", url: server.url }, { connectTimeoutMs: 300 });
    expect((await thrown(names(upstream))).message).toMatch(/did not answer within 300 ms/);
    const second = open({ type: "sse", url: server.url });
    const waiting = thrown(names(second));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await second[Symbol.asyncDispose]();
    expect((await waiting).code).toBe("DISPOSED");
  },
);

test(
  verifies("upstream:list-outage", "an HTTP outage keeps the list, and the server is used again afterwards"),
  async () => {
    let away = false;
    const server = await serve({
      first: (exchange) => away && (exchange.refuse(503, "maintenance"), true),
      call: (exchange) =>
        exchange.answer({ isError: true, content: [{ type: "text", text: "Unknown tool: t" }] }),
    });
    const upstream = await opened(server);
    await ask(upstream, "t");
    away = true;
    expect(await names(upstream)).toEqual(["t"]);
    expect(upstream.status().notes[0]).toMatch(/may be out of date.*HTTP 503: maintenance/);
    away = false;
    expect(await names(upstream)).toEqual(["t"]);
    expect(upstream.status().notes).toEqual([]);
  },
);

test(verifies("upstream:eras", "what a server leaves out of its first answer is filled in"), async () => {
  const server = await serve({
    first(exchange) {
      if (exchange.method === "server/discover") return false;
      if (exchange.method === "initialize") exchange.answer({ protocolVersion: "2025-03-26" });
      else if (exchange.method === "tools/list") exchange.answer({ tools: [{ name: "t" }] });
      else exchange.refuse(exchange.request.method === "POST" ? 202 : 405);
      return true;
    },
  });
  const upstream = open({ url: server.url, type: "http" });
  expect(await names(upstream)).toEqual(["t"]);
  expect(upstream.status().protocolVersion).toBe("2025-03-26");
});
