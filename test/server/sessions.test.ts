// How many sessions there may be, and which one goes.
import { Server } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createSessions, type Sessions } from "../../server/http/sessions.ts";
import { verifies } from "../requirements.ts";

const authInfo = { token: "", clientId: "", scopes: [] };
let clock = 0;

function bounded(busy: ReadonlySet<number>): Sessions {
  let opened = 0;
  return createSessions({
    most: 2,
    now: () => ++clock,
    maxRequestBodySize: 10_000,
    open: () => {
      const number = ++opened;
      const server = new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: [] }));
      return { server, busy: () => busy.has(number) };
    },
  });
}

function send(
  sessions: Sessions,
  session: string | undefined,
  method: string,
  params: object = {},
): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return sessions.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }), {
    authInfo,
    holder: undefined,
  });
}

async function open(sessions: Sessions): Promise<string> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const response = await send(sessions, undefined, "initialize", params);
  return response.headers.get("mcp-session-id") ?? String(response.status);
}

test(verifies("server:sessions", "the session idle longest makes room for a new one"), async () => {
  await using sessions = bounded(new Set());
  const [one, two] = [await open(sessions), await open(sessions)];
  await send(sessions, one, "tools/list");
  const three = await open(sessions);
  const states = await Promise.all(
    [one, two, three].map(async (id) => (await send(sessions, id, "tools/list")).status),
  );
  expect(states).toEqual([200, 404, 200]);
});

test(verifies("server:sessions", "sessions at work stay, and a new one is told to wait"), async () => {
  await using sessions = bounded(new Set([1, 2]));
  const [one, two] = [await open(sessions), await open(sessions)];
  expect(await open(sessions)).toBe("503");
  for (const id of [one, two]) expect((await send(sessions, id, "tools/list")).status).toBe(200);
});

test(verifies("server:sessions", "a request that opens nothing leaves nothing behind"), async () => {
  await using sessions = bounded(new Set([1, 2]));
  for (let i = 0; i < 5; i++) expect((await send(sessions, undefined, "tools/list")).status).toBe(400);
  expect(await open(sessions)).toMatch(/^[0-9a-f-]{36}$/);
});
