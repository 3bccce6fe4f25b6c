// Owns the HTTP endpoint: address, checks before a request is read, the way to the era that a request speaks.
import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { BlockList, isIPv6, type AddressInfo, type Socket } from "node:net";
import { randomUUID } from "node:crypto";
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, type AuthInfo } from "@modelcontextprotocol/server";
import { CallgateError } from "../../index.ts";
import { createProtocol, type Shared } from "../protocol.ts";
import { createGuard } from "./guard.ts";
import { createSessions } from "./sessions.ts";

export interface HttpOptions {
  /** 0 is any free one. @defaultValue 0 */
  readonly port?: number;
  /** Anything but loopback needs a token. @defaultValue "127.0.0.1" */
  readonly host?: string;
  /** One secret for all clients, or a secret for each principal by name; 16 characters at least. */
  readonly token?: string | Readonly<Record<string, string>>;
  /** Further names under which clients reach the endpoint. */
  readonly allowedHosts?: readonly string[];
  /** Largest request, bytes. @defaultValue 4 MiB */
  readonly bodyBytes?: number;
}

export interface HttpServing extends AsyncDisposable {
  readonly url: string;
}

const PATH = "/mcp";
const BODY_BYTES = 4 << 20;
const LEAST_TOKEN = 16;
/** Nothing in a request's own text takes a person's time. */
const REQUEST_MS = 30_000;
/** A connection is a principal: it should last from one turn of a conversation to the next. */
const KEEP_ALIVE_MS = 600_000;
const CONNECTIONS = 1_024;
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Throws CONFIG_INVALID for an address or token that cannot be used. */
export async function listen(shared: Shared, options: HttpOptions): Promise<HttpServing> {
  const { host = "127.0.0.1", port = 0, bodyBytes = BODY_BYTES } = options;
  const tokens = tokensOf(options.token);
  const { address, family } = await resolved(host);
  // Security: judged by the address that is bound, not by the name that was given.
  if (!loopback.check(address, family === 6 ? "ipv6" : "ipv4") && tokens.size === 0) {
    const text = `${host} can be reached from other machines: a bearer token is required there`;
    throw new CallgateError("CONFIG_INVALID", text, { data: { path: "token" } });
  }
  const guard = createGuard({
    hosts: [isIPv6(host) ? `[${host}]` : host, ...(options.allowedHosts ?? [])],
    anyAddress: address === "0.0.0.0" || address === "::",
    tokens,
  });
  const named = typeof options.token === "object";
  const connections = new WeakMap<Socket, string>();
  const modern = createMcpHandler(
    ({ authInfo }) => createProtocol(shared, { era: "modern", principal: principalOf(authInfo) }),
    { legacy: "reject", maxRequestBodySize: bodyBytes, onerror: shared.onError },
  );
  const sessions = createSessions({
    maxRequestBodySize: bodyBytes,
    now: () => performance.now(),
    open: ({ sessionId, holder }) => {
      let busy = 0;
      const track: Shared["track"] = async (work) => {
        busy += 1;
        try {
          return await shared.track(work);
        } finally {
          busy -= 1;
        }
      };
      const principal = named && holder !== undefined ? holder : `session-${sessionId}`;
      return {
        server: createProtocol({ ...shared, track }, { era: "legacy", principal }),
        busy: () => busy > 0,
      };
    },
  });
  const handle = toNodeHandler(
    {
      async fetch(request, { authInfo = NOBODY } = {}) {
        const legacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: bodyBytes });
        if (!legacy) return modern.fetch(request, { authInfo });
        return sessions.fetch(request, { authInfo, holder: authInfo.clientId });
      },
    },
    { maxRequestBodySize: bodyBytes, onerror: shared.onError },
  );

  const server = createServer((request: IncomingMessage & { auth?: AuthInfo }, response) => {
    const verdict = guard(request.headers);
    if (!verdict.ok) return refuse(response, verdict.status, verdict.message);
    if (request.url?.split("?", 1)[0] !== PATH) return refuse(response, 404, `The endpoint is ${PATH}.`);
    const { socket } = request;
    const connection = connections.get(socket) ?? `connection-${randomUUID()}`;
    connections.set(socket, connection);
    const holder = verdict.holder ?? "";
    request.auth = {
      token: "",
      clientId: holder,
      scopes: [],
      extra: { principal: named && holder !== "" ? holder : connection },
    };
    handle(request as NodeIncomingMessageLike, response).catch((error: unknown) =>
      shared.onError(error as Error),
    );
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = CONNECTIONS;
  const bound = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", (error) => reject(unusable(host, port, error)));
    server.listen({ host: address, port }, () => resolve(server.address() as AddressInfo));
  });
  server.on("error", shared.onError);
  const shown = isIPv6(host) ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound.port}${PATH}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.allSettled([modern.close(), sessions[Symbol.asyncDispose]()]);
      server.closeAllConnections();
      await closed;
    },
  };
}

const NOBODY: AuthInfo = { token: "", clientId: "", scopes: [] };

function principalOf(authInfo: AuthInfo | undefined): string {
  const principal = authInfo?.extra?.["principal"];
  if (typeof principal !== "string") throw new Error("a request came without a principal");
  return principal;
}

async function resolved(host: string): Promise<{ readonly address: string; readonly family: number }> {
  try {
    return await lookup(host);
  } catch (error) {
    throw unusable(host, undefined, error as Error);
  }
}

function unusable(host: string, port: number | undefined, error: Error): CallgateError {
  const place = port === undefined ? host : `${host}:${port}`;
  const text = `cannot listen on ${place.slice(0, 200)}: ${error.message.slice(0, 200)}`;
  return new CallgateError("CONFIG_INVALID", text, { data: { path: "http" }, cause: error });
}

/** One token for all is nobody's in particular. */
function tokensOf(token: HttpOptions["token"]): ReadonlyMap<string, string> {
  if (token === undefined) return new Map();
  const tokens = new Map(typeof token === "string" ? [["token", token]] : Object.entries(token));
  const short = [...tokens].find(
    ([, secret]) => !/^[\x21-\x7e]+$/.test(secret) || secret.length < LEAST_TOKEN,
  );
  if (short === undefined && tokens.size > 0) return tokens;
  const text = `token: expected at least ${LEAST_TOKEN} printable characters without spaces`;
  throw new CallgateError("CONFIG_INVALID", text, { data: { path: "token" } });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null });
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...challenge });
  response.end(body);
}
