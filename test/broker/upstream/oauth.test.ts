// Tokens of HTTP servers while a gate is open: got, refreshed once, given up, and explained.
import { generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLiveSecrets } from "../../../broker/live-secrets.ts";
import { createTokenFolder } from "../../../broker/upstream/auth/token-folder.ts";
import { createMemoryTokens } from "../../../broker/upstream/auth/token-store.ts";
import type { McpServerConfig } from "../../../broker/upstream/config.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { verifies } from "../../requirements.ts";
import { login } from "../../../broker/upstream/auth/login.ts";
import { agree, authorizationServer, listenLocal, protectedServer, signIn } from "./oauth-support.ts";
import { ask, names, open, said, thrown } from "./support.ts";
import type { Faulty } from "./http-support.ts";

function opened(
  server: Faulty,
  store = createMemoryTokens(),
  config: Partial<McpServerConfig> = {},
): Upstream {
  const http = { tokens: store, secrets: createLiveSecrets() };
  return open({ type: "http", url: server.url, ...config }, { http });
}

test(verifies("auth:login", "a server that wants a sign-in works after login, with its tokens"), async () => {
  const auth = await authorizationServer();
  const server = await protectedServer(auth);
  const store = createMemoryTokens();
  const upstream = opened(server, store);
  const failure = await thrown(names(upstream));
  expect(failure).toMatchObject({
    code: "CALL_UPSTREAM_UNAVAILABLE",
    data: { server: "srv", sent: false, auth: { need: "login", scopes: ["use"] } },
  });
  expect(failure.message).toMatch(/asks to sign in \(HTTP 401\): run callgate login srv, or call login\(\)/);
  expect(upstream.status()).toMatchObject({ state: "failed", auth: { state: "login-needed" } });
  expect(await upstream.revived?.()).toBe(false);
  expect(await signIn(server, store)).toMatchObject({
    issuer: auth.issuer,
    scopes: ["use"],
    refreshable: true,
  });
  expect(await upstream.revived?.()).toBe(true);
  expect(await names(upstream)).toEqual(["t"]);
  expect(await said(ask(upstream, "t"))).toBe("fine");
  expect(upstream.status()).toMatchObject({ state: "ready", auth: { state: "signed-in" } });
});

test(
  verifies("auth:refresh", "an expired token is refreshed once for all who wait, and the calls are made"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const store = createMemoryTokens();
    await signIn(server, store);
    const upstream = opened(server, store);
    await names(upstream);
    auth.expire();
    expect(await Promise.all([1, 2, 3, 4, 5].map(() => said(ask(upstream, "t"))))).toEqual(
      Array(5).fill("fine"),
    );
    expect(auth.count("/token", "refresh_token")).toBe(1);
  },
);

test(
  verifies("auth:refresh", "two gates with one store refresh once between them, whoever comes first"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const where = mkdtempSync(join(tmpdir(), "callgate-tokens-"));
    onTestFinished(() => rmSync(where, { recursive: true, force: true }));
    const place = join(where, "sign-ins");
    await signIn(server, createTokenFolder(place));
    const gates = [1, 2, 3].map(() => opened(server, createTokenFolder(place)));
    await Promise.all(gates.map(names));
    auth.expire();
    const answers = await Promise.all(gates.map((gate) => said(ask(gate, "t"))));
    expect(answers).toEqual(["fine", "fine", "fine"]);
    expect(auth.count("/token", "refresh_token")).toBe(1);
  },
);

test(verifies("auth:refresh", "a token about to expire is refreshed before it is refused"), async () => {
  const auth = await authorizationServer({ expiresIn: 10 });
  const server = await protectedServer(auth);
  const store = createMemoryTokens();
  await signIn(server, store);
  auth.behaviour.expiresIn = 3_600;
  const upstream = opened(server, store);
  await names(upstream);
  expect(auth.count("/token", "refresh_token")).toBe(1);
  await ask(upstream, "t");
  expect(auth.count("/token", "refresh_token")).toBe(1);
});

test(
  verifies("auth:ended", "a sign-in that was revoked is explained, given up, and asked for once"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const store = createMemoryTokens();
    await signIn(server, store);
    const upstream = opened(server, store);
    await names(upstream);
    auth.revoke();
    const failures = await Promise.all([1, 2, 3].map(() => thrown(ask(upstream, "t"))));
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: "CALL_UPSTREAM_UNAVAILABLE",
        retryable: false,
        data: { sent: false, auth: { need: "login" } },
      });
      expect(failure.message).toContain("run callgate login srv");
    }
    expect(failures[0]?.message).toContain("its sign-in has ended: invalid_grant (the token is not known)");
    expect(auth.count("/token", "refresh_token")).toBe(1);
    await signIn(server, store);
    expect(await said(ask(upstream, "t"))).toBe("fine");
  },
);

test(verifies("auth:ended", "an authorization server that is away does not cost the sign-in"), async () => {
  const auth = await authorizationServer();
  const server = await protectedServer(auth);
  const store = createMemoryTokens();
  await signIn(server, store);
  const upstream = opened(server, store);
  await names(upstream);
  auth.expire();
  auth.behaviour.intercept = ({ path }, response) => {
    if (path === "/token") response.writeHead(503).end("busy");
    return path === "/token";
  };
  const failure = await thrown(ask(upstream, "t"));
  expect(failure.message).toContain("its authorization server failed to refresh its token");
  delete auth.behaviour.intercept;
  expect(await said(ask(upstream, "t"))).toBe("fine");
});

test(verifies("auth:ended", "a server that refuses even a fresh token is not asked for ever"), async () => {
  const auth = await authorizationServer();
  const server = await protectedServer(auth);
  const store = createMemoryTokens();
  await signIn(server, store);
  const upstream = opened(server, store);
  await names(upstream);
  auth.expire();
  auth.behaviour.intercept = ({ path }, response) => {
    const answer = { access_token: "stale-token-1", token_type: "Bearer" };
    if (path === "/token")
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    return path === "/token";
  };
  const failure = await thrown(ask(upstream, "t"));
  expect(failure.message).toContain("it refuses the token of the last sign-in (HTTP 401)");
  expect(auth.count("/token", "refresh_token")).toBe(1);
});

test(
  verifies(
    "auth:scopes",
    "a call that lacks a scope names it and the command; more scopes keep the old ones",
  ),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth, { callScope: "issues:write" });
    const store = createMemoryTokens();
    await signIn(server, store);
    const upstream = opened(server, store);
    await names(upstream);
    const failure = await thrown(ask(upstream, "t"));
    expect(failure).toMatchObject({
      code: "CALL_UPSTREAM_UNAVAILABLE",
      data: { sent: false, auth: { need: "scopes", scopes: ["issues:write"] } },
    });
    expect(failure.message).toContain(
      "it wants the scopes issues:write for this (HTTP 403); run callgate login srv --scope issues:write",
    );
    expect(upstream.status().auth).toEqual({ state: "scopes-needed", scopes: ["issues:write"] });
    expect(await signIn(server, store, { scopes: ["issues:write"] })).toMatchObject({
      scopes: ["use", "issues:write"],
    });
    expect(await said(ask(upstream, "t"))).toBe("fine");
  },
);

test(
  verifies("auth:refresh", "a sign-in by another process that has expired meanwhile is refreshed too"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const store = createMemoryTokens();
    await signIn(server, store);
    const upstream = opened(server, store);
    await names(upstream);
    await signIn(server, store);
    auth.expire();
    expect(await said(ask(upstream, "t"))).toBe("fine");
  },
);

test(
  verifies("auth:scopes", "what a server writes into a challenge cannot be pasted into a shell"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth, { callScope: "$(rm)`x`;y" });
    const store = createMemoryTokens();
    await signIn(server, store);
    const upstream = opened(server, store);
    await names(upstream);
    const { message } = await thrown(ask(upstream, "t"));
    expect(message).toMatch(/run callgate login srv, or call login\(\)$/);
  },
);

const machine = { grant: "client_credentials", clientId: "robot", clientSecret: "sesame-open-up" } as const;

test(
  verifies("auth:client-credentials", "a program signs in by itself, again when its token expires"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const upstream = opened(server, createMemoryTokens(), { oauth: machine });
    expect(await names(upstream)).toEqual(["t"]);
    auth.expire();
    expect(await Promise.all([1, 2, 3].map(() => said(ask(upstream, "t"))))).toEqual([
      "fine",
      "fine",
      "fine",
    ]);
    expect(auth.count("/token", "client_credentials")).toBe(2);
    const [first] = auth.asked.filter(({ path }) => path === "/token");
    expect(first?.headers.authorization).toBe(
      `Basic ${Buffer.from("robot:sesame-open-up").toString("base64")}`,
    );
    expect(first?.params.get("resource")).toBe(server.url);
    expect(first?.params.get("scope")).toBe("use");
  },
);

test(verifies("auth:client-credentials", "a secret goes by post where only that is offered"), async () => {
  const auth = await authorizationServer({
    metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] },
  });
  const server = await protectedServer(auth);
  const upstream = opened(server, createMemoryTokens(), { oauth: { ...machine, scopes: ["use", "more"] } });
  await names(upstream);
  const [first] = auth.asked.filter(({ path }) => path === "/token");
  expect(first?.headers.authorization).toBeUndefined();
  expect(Object.fromEntries(first?.params ?? [])).toMatchObject({
    client_secret: "sesame-open-up",
    scope: "use more",
  });
});

test(verifies("auth:client-credentials", "a key signs a JWT in place of the secret"), async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const auth = await authorizationServer({
    metadata: { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
  });
  const server = await protectedServer(auth);
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const oauth = {
    grant: "client_credentials",
    clientId: "robot",
    privateKey: key,
    signingAlgorithm: "ES256",
  } as const;
  await names(opened(server, createMemoryTokens(), { oauth }));
  const [first] = auth.asked.filter(({ path }) => path === "/token");
  const [head = "", body = "", signature = ""] = (first?.params.get("client_assertion") ?? "").split(".");
  const signed = Buffer.from(`${head}.${body}`);
  const bytes = Buffer.from(signature, "base64url");
  expect(verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes)).toBe(true);
  expect(JSON.parse(Buffer.from(body, "base64url").toString())).toMatchObject({ iss: "robot", sub: "robot" });
});

test(
  verifies("auth:client-credentials", "a client that is refused is named, and its secret is not"),
  async () => {
    const auth = await authorizationServer();
    auth.behaviour.intercept = ({ path, headers }, response) => {
      const answer = {
        error: "invalid_client",
        error_description: `no ${headers.authorization ?? ""} sesame-open-up`,
      };
      if (path === "/token") response.writeHead(401).end(JSON.stringify(answer));
      return path === "/token";
    };
    const server = await protectedServer(auth);
    const failure = await thrown(names(opened(server, createMemoryTokens(), { oauth: machine })));
    expect(failure.message).toContain("refuses oauth.clientId of its entry: invalid_client");
    expect(failure.message).not.toContain("sesame");
    expect(failure.message).not.toContain(Buffer.from("robot:sesame-open-up").toString("base64"));
  },
);

test(
  verifies("auth:login", "a server that speaks over SSE asks for a sign-in as well, and gets its tokens"),
  async () => {
    const auth = await authorizationServer();
    let answer: (message: unknown) => void = () => {};
    const url = await listenLocal((request, response, body) => {
      if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
        const about = { resource: url, authorization_servers: [auth.issuer] };
        return void response.writeHead(200).end(JSON.stringify(about));
      }
      if (auth.accepts(request.headers.authorization) === undefined) {
        return void response.writeHead(401, { "www-authenticate": 'Bearer scope="use"' }).end();
      }
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: endpoint\ndata: /post\n\n");
        answer = (message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
        return;
      }
      response.writeHead(202).end();
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params: object };
      const tools = [{ name: "t", inputSchema: { type: "object" } }];
      const hello = { ...params, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
      if (id !== undefined)
        answer({ jsonrpc: "2.0", id, result: method === "initialize" ? hello : { tools } });
    });
    const store = createMemoryTokens();
    const upstream = open({ type: "sse", url }, { http: { tokens: store, secrets: createLiveSecrets() } });
    expect((await thrown(names(upstream))).message).toContain("run callgate login srv");
    await login("srv", { type: "sse", url }, { store, open: agree });
    expect(await upstream.revived?.()).toBe(true);
    expect(await names(upstream)).toEqual(["t"]);
  },
);
