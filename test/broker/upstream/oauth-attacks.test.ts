// Authorization servers and MCP servers that lie, and answers that are forged.
import { expect, test } from "vitest";
import { login } from "../../../broker/upstream/auth/login.ts";
import { mayGetTokens } from "../../../broker/upstream/auth/oauth-config.ts";
import { createMemoryTokens } from "../../../broker/upstream/auth/token-store.ts";
import { openLoopback } from "../../../broker/upstream/auth/loopback.ts";
import { readChallenge } from "../../../broker/upstream/auth/challenge.ts";
import { verifies } from "../../requirements.ts";
import { serve, type Faulty } from "./http-support.ts";
import {
  agree,
  authorizationServer,
  protectedServer,
  signIn,
  type AuthorizationServer,
  type Behaviour,
} from "./oauth-support.ts";
import { never, thrown } from "./support.ts";

async function pair(behaviour: Behaviour = {}): Promise<{ auth: AuthorizationServer; server: Faulty }> {
  const auth = await authorizationServer(behaviour);
  return { auth, server: await protectedServer(auth) };
}

test(
  verifies("auth:login", "a sign-in sends PKCE with S256, state, resource, and a redirect to this machine"),
  async () => {
    const { auth, server } = await pair({ metadata: { scopes_supported: ["use", "offline_access"] } });
    await signIn(server);
    const sent = Object.fromEntries(auth.asked.find(({ path }) => path === "/authorize")?.params ?? []);
    expect(sent).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      resource: server.url,
      scope: "use offline_access",
    });
    expect(sent["state"]?.length).toBeGreaterThan(30);
    expect(sent["redirect_uri"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(auth.asked.find(({ path }) => path === "/register")?.json).toMatchObject({
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    });
    expect(auth.asked.find(({ path }) => path === "/token")?.params.get("resource")).toBe(server.url);
  },
);

test(
  verifies(
    "auth:login",
    "the client that was registered is used again, and a configured one is not registered",
  ),
  async () => {
    const { auth, server } = await pair();
    const store = createMemoryTokens();
    await signIn(server, store);
    await signIn(server, store);
    expect(auth.count("/register")).toBe(1);
    await signIn(server, createMemoryTokens(), { entry: { oauth: { clientId: "mine" } } });
    expect(auth.count("/register")).toBe(1);
    expect(auth.asked.findLast(({ path }) => path === "/authorize")?.params.get("client_id")).toBe("mine");
  },
);

test(
  verifies(
    "auth:login",
    "a client metadata document takes the place of a registration where it is supported",
  ),
  async () => {
    const { auth, server } = await pair({ metadata: { client_id_metadata_document_supported: true } });
    const entry = { oauth: { clientMetadataUrl: "https://example.com/callgate.json" } };
    await signIn(server, createMemoryTokens(), { entry });
    expect(auth.count("/register")).toBe(0);
    expect(auth.asked.find(({ path }) => path === "/authorize")?.params.get("client_id")).toBe(
      "https://example.com/callgate.json",
    );
  },
);

test.each<[string, Behaviour, RegExp]>([
  [
    "another iss",
    { returned: { iss: "https://evil.example.com" } },
    /came from another authorization server/,
  ],
  ["no iss though announced", { returned: { iss: undefined } }, /came from another authorization server/],
  [
    "another iss beside an error, which is not shown",
    { returned: { iss: "https://evil.example.com", error: "call +1 555" } },
    /another authorization server than the one that was asked$/,
  ],
  [
    "an error",
    { returned: { error: "access_denied", error_description: "no\u001b[2J thanks" } },
    /access_denied: no \[2J thanks/,
  ],
  ["no code", { returned: { code: undefined } }, /came back without a code/],
  ["no PKCE", { metadata: { code_challenge_methods_supported: undefined } }, /does not offer PKCE with S256/],
  [
    "plain PKCE",
    { metadata: { code_challenge_methods_supported: ["plain"] } },
    /does not offer PKCE with S256/,
  ],
  [
    "metadata of another issuer",
    { metadata: { issuer: "https://evil.example.com" } },
    /names another issuer/,
  ],
  [
    "a token endpoint in the clear",
    { metadata: { token_endpoint: "http://example.com/t" } },
    /endpoint that is not https/,
  ],
  ["no registration", { metadata: { registration_endpoint: undefined } }, /put it into oauth\.clientId/],
])(verifies(["auth:login", "auth:issuer"], "no tokens are taken after %s"), async (_what, behaviour, why) => {
  const { auth, server } = await pair(behaviour);
  const failure = await thrown(signIn(server));
  expect(failure).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { server: "srv", sent: false } });
  expect(failure.message).toMatch(why);
  expect(failure.message).not.toContain("\u001b");
  expect(auth.count("/token")).toBe(0);
});

test(
  verifies("auth:issuer", "metadata about another resource is refused before anything is asked for"),
  async () => {
    const auth = await authorizationServer();
    const server = await serve({
      first({ request, response }) {
        const about = { resource: "https://bank.example.com/mcp", authorization_servers: [auth.issuer] };
        response.writeHead(request.method === "GET" ? 200 : 401).end(JSON.stringify(about));
        return true;
      },
    });
    const failure = await thrown(signIn(server));
    expect(failure.message).toContain("about another resource, https://bank.example.com/mcp");
    expect(auth.asked).toEqual([]);
  },
);

test(
  verifies("auth:issuer", "a server that moves to another authorization server gets a new client there"),
  async () => {
    const [one, two] = [await authorizationServer(), await authorizationServer()];
    let at = one;
    const server = await serve({
      first({ request, response }) {
        const about = { resource: new URL("/mcp", server.url).href, authorization_servers: [at.issuer] };
        response.writeHead(request.method === "GET" ? 200 : 401).end(JSON.stringify(about));
        return true;
      },
    });
    const store = createMemoryTokens();
    const entry = { oauth: { clientId: "mine", clientSecret: "sesame-open-up" } };
    await signIn(server, store);
    await signIn(server, store, { entry });
    at = two;
    await signIn(server, store);
    expect(two.count("/register")).toBe(1);
    const failure = await thrown(signIn(server, store, { entry }));
    expect(failure.message).toContain("to which oauth.clientId is not sent");
    expect(two.asked.some(({ params }) => params.get("client_id") === "mine")).toBe(false);
  },
);

test(verifies("auth:issuer", "the issuer of the entry is the only one that gets the secret"), async () => {
  const { auth, server } = await pair();
  const oauth = {
    grant: "client_credentials",
    clientId: "me",
    clientSecret: "sesame",
    issuer: "https://login.example.com",
  };
  const failure = await thrown(signIn(server, createMemoryTokens(), { entry: { oauth } }));
  expect(failure.message).toContain("but oauth.issuer of its entry is another");
  expect(auth.count("/token")).toBe(0);
});

test.each([[{}], [{ oauth: { clientId: "mine" } }]])(
  verifies("auth:secret", "nobody is sent to sign in to a public server that is not https: entry %j"),
  async (entry) => {
    const opened: URL[] = [];
    const signing = login(
      "srv",
      { url: "http://mcp.example.com/mcp", ...entry },
      { store: createMemoryTokens(), open: (url) => void opened.push(url) },
    );
    expect((await thrown(signing)).message).toMatch(/https/);
    expect(opened).toEqual([]);
  },
);

test(
  verifies("auth:login", "nobody is sent to sign in where a fixed token would be sent all the same"),
  async () => {
    const { auth, server } = await pair();
    const headers = { authorization: "Bearer fixed-token" };
    const failure = await thrown(signIn(server, createMemoryTokens(), { entry: { headers } }));
    expect(failure.message).toContain("headers.Authorization of its entry");
    expect(auth.asked).toEqual([]);
  },
);

test.each([
  ["https://mcp.example.com/mcp", false, true],
  ["http://mcp.example.com/mcp", false, false],
  ["http://mcp.example.com/mcp", true, true],
  ["http://8.8.8.8/mcp", false, false],
  ["http://10.0.0.5/mcp", false, true],
  ["http://tools:8080/mcp", false, true],
  ["http://[::1]:8080/mcp", false, true],
])(verifies("auth:secret", "tokens go to %s, private networks allowed %s: %s"), (url, allowPrivate, may) => {
  expect(mayGetTokens(new URL(url), allowPrivate)).toBe(may);
});

test(
  verifies("auth:login", "the receiver turns away what does not know the state, and reflects nothing"),
  async () => {
    await using loopback = await openLoopback({});
    const arriving = loopback.receive("the-state", never);
    const wrong = await fetch(`${loopback.redirectUri}?state=other&code=stolen&<script>`);
    expect(wrong.status).toBe(400);
    expect((await fetch(new URL("/other?state=the-state", loopback.redirectUri))).status).toBe(404);
    expect((await fetch(`${loopback.redirectUri}?state=the-state`, { method: "POST" })).status).toBe(404);
    const right = await fetch(`${loopback.redirectUri}?state=the-state&code=mine&x=<script>`);
    expect(right.headers.get("content-security-policy")).toBe("default-src 'none'");
    const text = (await right.text()) + (await wrong.text());
    for (const part of ["the-state", "mine", "stolen", "script"]) expect(text).not.toContain(part);
    expect((await arriving).get("code")).toBe("mine");
  },
);

test(
  verifies(
    "auth:login",
    "a person who never comes back is waited for no longer than asked, or until cancelled",
  ),
  async () => {
    const { server } = await pair();
    const late = await thrown(signIn(server, createMemoryTokens(), { open: () => {}, timeoutMs: 50 }));
    expect(late.message).toContain("nobody signed in within");
    const leaving = new AbortController();
    const open = (): void => leaving.abort();
    const cancelled = await thrown(signIn(server, createMemoryTokens(), { open, signal: leaving.signal }));
    expect(cancelled).toMatchObject({ code: "CALL_CANCELLED" });
  },
);

test(
  verifies("auth:login", "a configured callback port is used, and when it is taken that is said"),
  async () => {
    const { auth, server } = await pair();
    const probe = await openLoopback({});
    const callbackPort = Number(new URL(probe.redirectUri).port);
    const entry = { oauth: { callbackPort } };
    const failure = await thrown(signIn(server, createMemoryTokens(), { entry }));
    expect(failure.message).toContain(
      `port ${callbackPort} of oauth.callbackPort cannot be listened on (EADDRINUSE)`,
    );
    await probe[Symbol.asyncDispose]();
    await signIn(server, createMemoryTokens(), { entry, open: agree });
    expect(auth.asked.findLast(({ path }) => path === "/authorize")?.params.get("redirect_uri")).toContain(
      `:${callbackPort}/`,
    );
  },
);

test.each<[string, object]>([
  ['Bearer scope="a b", error="insufficient_scope"', { scopes: ["a", "b"], error: "insufficient_scope" }],
  ['Basic realm="x, Bearer scope=z", bearer SCOPE=a', { scopes: ["a"] }],
  ['Bearer realm="r", scope="a a \u00e9 b"', { scopes: ["a", "b"] }],
  ['Bearer error="in\\"valid"', { error: 'in"valid' }],
  ["Basic scope=z", {}],
  ["Bearer", {}],
  ['Bearer scope="', {}],
  [", , =", {}],
])(verifies("auth:scopes", "a challenge is read: %s"), (header, expected) => {
  expect(readChallenge(new Headers({ "www-authenticate": header }))).toEqual(expected);
});
