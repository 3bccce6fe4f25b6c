// The HTTP endpoint against those who should not be served.
import { request as httpRequest } from "node:http";
import { connect as connectTo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createCallgateServer, type CallgateServer } from "../../server/index.ts";
import { createGuard } from "../../server/http/guard.ts";
import { verifies } from "../requirements.ts";
import { connect, ERAS, modernPost, openWorld, resultOf, script, served, type World } from "./support.ts";

const TOKEN = "0123456789abcdef-token";
let world: World;
let url: string;
beforeAll(async () => {
  world = await openWorld();
  url = await served(world);
});
afterAll(() => world[Symbol.asyncDispose]());

function another(): CallgateServer {
  const server = createCallgateServer(world.gate);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

interface Raw {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request whose every header is ours to choose. */
function raw(
  target: string,
  options: Raw = {},
): Promise<{
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}> {
  const { hostname, port, pathname } = new URL(target);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: hostname.replace(/^\[|\]$/g, ""),
        port,
        path: options.path ?? pathname,
        method: options.method ?? "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...options.headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    request.on("error", reject);
    request.end(
      options.body ??
        JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "x", version: "1" },
          },
        }),
    );
  });
}

test.each([
  ["evil.example"],
  ["evil.example:80"],
  ["127.0.0.1.evil.example"],
  ["localhost.evil.example"],
  ["localhost@evil.example"],
  ["evil.example#localhost"],
  ["[::1]evil.example"],
  ["192.168.1.5"],
  ["0.0.0.0"],
  ["localhost, evil.example"],
  ["127.0.0.1:99999999"],
  ["localhost:80:80"],
])(verifies("server:guard", "the host name %s is refused"), async (host) => {
  expect((await raw(url, { headers: { host } })).status).toBe(403);
});

test(verifies("server:guard", "no host name at all is refused"), () => {
  const guard = createGuard({ hosts: [], anyAddress: false, tokens: new Map() });
  for (const host of [undefined, "", " ", ":80"])
    expect(guard({ host })).toMatchObject({ ok: false, status: 403 });
});

test.each([["localhost"], ["LOCALHOST:1"], ["[::1]:80"], ["127.0.0.1"]])(
  verifies("server:guard", "the host name %s is served"),
  async (host) => expect((await raw(url, { headers: { host } })).status).toBe(200),
);

test.each([
  ["http://evil.example"],
  ["https://localhost.evil.example"],
  ["null"],
  ["file://localhost"],
  ["http://localhost@evil.example"],
  ["localhost"],
  [""],
  ["http://"],
  ["chrome-extension://localhost"],
])(verifies("server:guard", "the origin %j is refused"), async (origin) => {
  const { status, headers } = await raw(url, { headers: { origin } });
  expect(status).toBe(403);
  expect(headers["access-control-allow-origin"]).toBeUndefined();
});

test(
  verifies(
    "server:guard",
    "a page of this machine may not read answers without being let, and preflights fail",
  ),
  async () => {
    const origin = "http://localhost:5173";
    const preflight = await raw(url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  },
);

test.each([["/"], ["/mcp/x"], ["/MCP"], ["//mcp"], ["http://evil.example/mcp"], ["/mcp%2f"]])(
  verifies("server:guard", "the path %s is none"),
  async (path) => expect((await raw(url, { path })).status).toBe(404),
);

test(verifies("server:guard", "a wrong token is refused before the body is read"), async () => {
  const { url: place } = await another().http({ token: TOKEN });
  const wrong = [
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN} ${TOKEN}`,
  ];
  for (const authorization of wrong) {
    const refused = await raw(place, {
      headers: authorization === "" ? {} : { authorization },
      body: "not json",
    });
    expect(refused).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  }
  expect((await raw(place, { headers: { authorization: `bearer ${TOKEN}` } })).status).toBe(200);
  for (const era of ERAS) {
    const client = await connect(place, era, { token: TOKEN });
    expect((await script(client, "return 1;")).text).toBe("1");
  }
});

test(verifies("server:guard", "a request that never ends its body gets its refusal at once"), async () => {
  const { port } = new URL(url);
  const socket = connectTo(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 1000000\r\n\r\n{");
  const [first] = (await new Promise<Buffer>((resolve) => socket.once("data", resolve)))
    .toString()
    .split("\r\n");
  expect(first).toContain("403");
});

test.each([["0.0.0.0"], ["::"]])(
  verifies("server:exposed", "%s is not listened on without a token"),
  async (host) => {
    const refused = another().http({ host });
    await expect(refused).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("bearer token") as string,
    });
  },
);

test.each([[""], ["short"], ["with spaces in it it is"], [{}], [{ a: "short" }]])(
  verifies("server:exposed", "the token %j is none"),
  async (token) => {
    await expect(another().http({ token: token as string })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  },
);

test(
  verifies("server:exposed", "with a token it is, under any address and the names it was given"),
  async () => {
    const { url: place } = await another().http({
      host: "0.0.0.0",
      token: TOKEN,
      allowedHosts: ["gate.example"],
    });
    const reach = place.replace("0.0.0.0", "127.0.0.1");
    const authorization = `Bearer ${TOKEN}`;
    for (const host of ["10.1.2.3:80", "gate.example", "127.0.0.1"])
      expect((await raw(reach, { headers: { host, authorization } })).status).toBe(200);
    expect((await raw(reach, { headers: { host: "evil.example", authorization } })).status).toBe(403);
  },
);

test(
  verifies("server:body", "a request over the limit is refused, whichever way its length is told"),
  async () => {
    const { url: place } = await another().http({ bodyBytes: 10_000 });
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      params: { pad: "x".repeat(20_000) },
    });
    expect((await raw(place, { body })).status).toBe(413);
    expect((await raw(place, { body, headers: { "transfer-encoding": "chunked" } })).status).toBe(413);
  },
);

test(verifies("server:isolated", "a session is unknown to the holder of another token"), async () => {
  const { url: place } = await another().http({ token: { ann: `${TOKEN}-ann`, bob: `${TOKEN}-bob` } });
  const opened = await raw(place, { headers: { authorization: `Bearer ${TOKEN}-ann` } });
  const session = String(opened.headers["mcp-session-id"]);
  const list = (who: string, id: string) =>
    raw(place, {
      headers: { authorization: `Bearer ${TOKEN}-${who}`, "mcp-session-id": id },
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} }),
    });
  expect((await list("ann", session)).status).toBe(200);
  const foreign = await list("bob", session);
  const none = await list("bob", "00000000-0000-4000-8000-000000000000");
  expect(foreign.status).toBe(404);
  expect(foreign.text).toBe(none.text);
});

test(
  verifies(
    ["server:isolated", "server:rounds"],
    "a question's state is worth nothing to the holder of another token",
  ),
  async () => {
    await using own = await openWorld();
    const place = await served(own, { token: { ann: `${TOKEN}-ann`, bob: `${TOKEN}-bob` } });
    const headers = (who: string) => ({ authorization: `Bearer ${TOKEN}-${who}` });
    const add = { name: "run_script", arguments: { script: 'return notes.add({ text: "x" });' } };
    const { requestState } = await resultOf(await modernPost(place, "tools/call", add, headers("ann")));
    const inputResponses = { approval: { action: "accept", content: { answer: "allow once" } } };
    const stolen = await resultOf(
      await modernPost(place, "tools/call", { ...add, requestState, inputResponses }, headers("bob")),
    );
    expect(stolen).toHaveProperty("error");
    expect(own.notes.added).toEqual([]);
    const told = await resultOf(
      await modernPost(place, "tools/call", { ...add, requestState, inputResponses }, headers("ann")),
    );
    expect(told).toMatchObject({ isError: false });
  },
);

test(verifies("server:close", "closing ends runs, answers them, and frees the port"), async () => {
  const server = another();
  const { url: place } = await server.http();
  const [legacy, modern] = [await connect(place, "legacy"), await connect(place, "modern")];
  const { ended } = world.notes.waits;
  const runs: Promise<unknown>[] = [];
  for (const client of [legacy, modern]) {
    const begun = world.notes.waiting();
    runs.push(script(client, "await notes.wait({});").catch((error: unknown) => error));
    await begun;
  }
  await server[Symbol.asyncDispose]();
  expect(world.notes.waits.ended).toBe(ended + 2);
  await Promise.all(runs);
  await expect(fetch(place)).rejects.toThrow();
  await using again = createCallgateServer(world.gate);
  await again.http({ port: Number(new URL(place).port) });
});

test(verifies("server:close", "a port that is taken is told as such"), async () => {
  const { port } = new URL(url);
  await expect(another().http({ port: Number(port) })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(port) as string,
  });
});
