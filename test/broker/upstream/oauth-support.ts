// An authorization server, MCP servers that want its tokens, and a person who agrees to everything.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { createMemoryTokens, type TokenStore } from "../../../broker/upstream/auth/token-store.ts";
import { login, type LoginOptions, type LoginResult } from "../../../broker/upstream/auth/login.ts";
import { serve, type Exchange, type Faulty } from "./http-support.ts";

export interface Asked {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly json: Record<string, unknown>;
}

export interface Behaviour {
  /** Of its metadata. */
  metadata?: Record<string, unknown>;
  /** Seconds; undefined: not said. */
  expiresIn?: number;
  refreshTokens?: boolean;
  /** Answers in the place of the endpoint; false: it is left to it. */
  intercept?: (asked: Asked, response: ServerResponse) => boolean;
  /** Added to the return of the browser. */
  returned?: Record<string, string | undefined>;
}

export interface AuthorizationServer {
  readonly issuer: string;
  readonly asked: Asked[];
  readonly behaviour: Behaviour;
  /** Every token ever given, of any kind. */
  readonly given: string[];
  accepts(header: string | undefined): readonly string[] | undefined;
  /** No access token is good any more. */
  expire(): void;
  /** No refresh token is good any more either. */
  revoke(): void;
  count(path: string, grant?: string): number;
}

export async function listenLocal(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => handle(request, response, body));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Registers clients, redirects at once, checks PKCE, rotates refresh tokens. */
export async function authorizationServer(behaviour: Behaviour = {}): Promise<AuthorizationServer> {
  const asked: Asked[] = [];
  const given: string[] = [];
  const access = new Map<string, readonly string[]>();
  const refresh = new Map<string, readonly string[]>();
  const codes = new Map<string, { readonly challenge: string; readonly scopes: readonly string[] }>();
  const issue = (scopes: readonly string[], lasting: boolean): Record<string, unknown> => {
    const token = `access-${randomUUID()}`;
    access.set(token, scopes);
    given.push(token);
    const answer: Record<string, unknown> = {
      access_token: token,
      token_type: "Bearer",
      scope: scopes.join(" "),
    };
    if (behaviour.expiresIn !== undefined) answer["expires_in"] = behaviour.expiresIn;
    if (lasting && behaviour.refreshTokens !== false) {
      const next = `refresh-${randomUUID()}`;
      refresh.set(next, scopes);
      given.push(next);
      answer["refresh_token"] = next;
    }
    return answer;
  };
  const token = (params: URLSearchParams): Record<string, unknown> => {
    const grant = params.get("grant_type");
    if (grant === "client_credentials") return issue((params.get("scope") ?? "").split(" "), false);
    if (grant === "refresh_token") {
      const scopes = refresh.get(params.get("refresh_token") ?? "");
      if (scopes === undefined)
        return { error: "invalid_grant", error_description: "the token is not known" };
      refresh.delete(params.get("refresh_token") ?? "");
      return issue(scopes, true);
    }
    const code = codes.get(params.get("code") ?? "");
    const hash = createHash("sha256")
      .update(params.get("code_verifier") ?? "")
      .digest("base64url");
    codes.delete(params.get("code") ?? "");
    if (code === undefined || code.challenge !== hash) return { error: "invalid_grant" };
    return issue(code.scopes, true);
  };
  const issuer = await listenLocal((request, response, body) => {
    const url = new URL(request.url ?? "", issuer);
    const isJson = request.headers["content-type"] === "application/json";
    const params = request.method === "GET" || isJson ? url.searchParams : new URLSearchParams(body);
    const json = isJson ? (JSON.parse(body) as Record<string, unknown>) : {};
    const one: Asked = { path: url.pathname, params, headers: request.headers, json };
    asked.push(one);
    if (behaviour.intercept?.(one, response) === true) return;
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case "/.well-known/oauth-authorization-server":
        return answer(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ...behaviour.metadata,
        });
      case "/register":
        return answer(201, { ...json, client_id: `client-${asked.length}` });
      case "/authorize": {
        const code = `code-${randomUUID()}`;
        given.push(code);
        codes.set(code, {
          challenge: params.get("code_challenge") ?? "",
          scopes: (params.get("scope") ?? "").split(" ").filter((scope) => scope !== ""),
        });
        const back = new URL(params.get("redirect_uri") ?? "");
        const returned = { code, state: params.get("state") ?? "", iss: issuer, ...behaviour.returned };
        for (const [key, value] of Object.entries(returned)) {
          if (value !== undefined) back.searchParams.set(key, value);
        }
        response.writeHead(302, { location: String(back) }).end();
        return;
      }
      case "/token": {
        const answered = token(params);
        return answer("error" in answered ? 400 : 200, answered);
      }
      case "/revoke":
        return answer(200, {});
      default:
        return answer(404, {});
    }
  });
  return {
    issuer,
    asked,
    given,
    behaviour,
    accepts: (header) => access.get(header?.replace(/^Bearer /, "") ?? ""),
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    count: (path, grant) =>
      asked.filter(
        (one) => one.path === path && (grant === undefined || one.params.get("grant_type") === grant),
      ).length,
  };
}

/** An MCP server whose every request needs a token of `auth` with the scope `use`; a call may need more. */
export async function protectedServer(
  auth: AuthorizationServer,
  options: {
    readonly callScope?: string;
    readonly call?: (exchange: Exchange) => void;
    readonly open?: boolean;
  } = {},
): Promise<Faulty> {
  const server = await serve({
    first(exchange) {
      const { request, response, method } = exchange;
      if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
        const metadata = {
          resource: server.url,
          authorization_servers: [auth.issuer],
          scopes_supported: ["use"],
        };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
        return true;
      }
      const scopes = auth.accepts(request.headers.authorization);
      if (scopes === undefined) {
        const metadata = new URL("/.well-known/oauth-protected-resource/mcp", server.url);
        const challenge = `Bearer error="invalid_token", scope="use", resource_metadata="${String(metadata)}"`;
        exchange.refuse(401, "", { "www-authenticate": challenge });
        return true;
      }
      const needed = method === "tools/call" ? options.callScope : undefined;
      if (needed !== undefined && !scopes.includes(needed)) {
        exchange.refuse(403, "", {
          "www-authenticate": `Bearer error="insufficient_scope", scope="${needed}", error_description="no"`,
        });
        return true;
      }
      return false;
    },
    ...(options.call === undefined ? {} : { call: options.call }),
  });
  return server;
}

/** A person with a browser that follows redirects, and agrees. */
export async function agree(url: URL): Promise<void> {
  const response = await fetch(url);
  await response.text();
}

export function signIn(
  server: Faulty,
  store: TokenStore = createMemoryTokens(),
  options: Partial<LoginOptions> & { readonly entry?: Record<string, unknown> } = {},
): Promise<LoginResult> {
  const { entry = {}, ...rest } = options;
  return login("srv", { type: "http", url: server.url, ...entry }, { store, open: agree, ...rest });
}
