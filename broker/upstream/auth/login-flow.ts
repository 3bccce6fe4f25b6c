// Owns the steps of a sign-in: what the server asks for, a person in a browser, a code, tokens.
import { randomBytes, randomUUID } from "node:crypto";
import {
  exchangeAuthorization,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import type { LiveSecrets } from "../../live-secrets.ts";
import { AccessProblem } from "../access-problem.ts";
import type { McpServerConfig } from "../config.ts";
import { printable } from "../printable.ts";
import { readChallenge, readScopes, type Challenge } from "./challenge.ts";
import { clientFor, refuseWithoutPkce } from "./client.ts";
import type { AuthorizationServer } from "./discovery.ts";
import type { Fetch } from "./endpoint-fetch.ts";
import type { LoginOptions } from "./login.ts";
import { openLoopback } from "./loopback.ts";
import { scopesOf, type OAuthConfig } from "./oauth-config.ts";
import { signInKey, type KnownClient, type SignIn } from "./sign-in.ts";
import { asked, clientTokens, readTokens } from "./token-requests.ts";
import { held } from "./token-store.ts";

export interface Flow {
  readonly url: URL;
  readonly config: McpServerConfig;
  readonly oauth: OAuthConfig;
  readonly options: LoginOptions;
  readonly secrets: LiveSecrets;
  /** To the server. */
  readonly plain: Fetch;
  /** To authorization servers. */
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

/** What the server asks for, told by its refusal of a request without a token. */
export async function probe({ url, config, plain, signal }: Flow): Promise<Challenge> {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await plain(url, {
    method: "POST",
    headers: {
      ...config.headers,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": version,
      "mcp-method": "tools/list",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } }),
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  await response.body?.cancel();
  return readChallenge(response.headers);
}

export async function byItself(
  flow: Flow,
  server: AuthorizationServer,
  challenge: Challenge,
): Promise<SignIn> {
  const { oauth, fetch } = flow;
  const scopes = [...scopesOf(oauth), ...(flow.options.scopes ?? [])];
  const wanted = scopes.length > 0 ? scopes : (challenge.scopes ?? server.resourceScopes);
  const tokens = await clientTokens(server, oauth, wanted, { fetch, now: Date.now });
  return signInOf(server, { client_id: oauth.clientId ?? "" }, tokens);
}

export async function byPerson(
  flow: Flow,
  server: AuthorizationServer,
  challenge: Challenge,
  before: SignIn | undefined,
): Promise<SignIn> {
  const { oauth, options, fetch, secrets } = flow;
  refuseWithoutPkce(server);
  const known = before?.client.redirectUri;
  await using loopback = await openLoopback({
    port: oauth.callbackPort,
    preferred: known === undefined ? undefined : Number(new URL(known).port),
  });
  const { redirectUri } = loopback;
  const scopes = wantedScopes(flow, server, challenge, before);
  const scope = scopes.length === 0 ? undefined : scopes.join(" ");
  const client = await clientFor(server, { oauth, kept: before, redirectUri, scope, fetch, now: Date.now });
  const state = randomBytes(24).toString("base64url");
  const resource = server.resource === undefined ? {} : { resource: server.resource as unknown as URL };
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.url, {
    metadata: server.metadata,
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...resource,
  });
  secrets.add(client.client_secret, codeVerifier, state);
  const timeoutMs = options.timeoutMs ?? 300_000;
  const patience = AbortSignal.any([flow.signal, AbortSignal.timeout(timeoutMs)]);
  const arriving = loopback.receive(state, patience).catch((error: unknown) => {
    if (flow.signal.aborted) throw error;
    throw new AccessProblem(`nobody signed in within ${Math.round(timeoutMs / 1_000)} s`);
  });
  const [returned] = await Promise.all([arriving, options.open(authorizationUrl)]);
  const code = codeOf(returned, server);
  secrets.add(code);
  const answer = await asked("get a token", () =>
    exchangeAuthorization(server.url, {
      metadata: server.metadata,
      clientInformation: client,
      authorizationCode: code,
      ...(returned.has("iss") ? { iss: returned.get("iss") as string } : {}),
      codeVerifier,
      redirectUri,
      ...resource,
      fetchFn: fetch,
    }),
  );
  const tokens = readTokens(answer, scopes, { fetch, now: Date.now });
  const signIn = signInOf(server, client, tokens);
  const key = signInKey(flow.config);
  // A refresh of the sign-in before may be under way, and must not be what is kept last.
  await held(options.store, key, () => options.store.save(key, JSON.stringify(signIn)));
  return signIn;
}

function wantedScopes(
  { oauth, options }: Flow,
  server: AuthorizationServer,
  challenge: Challenge,
  before: SignIn | undefined,
): readonly string[] {
  const configured = scopesOf(oauth);
  const usual = configured.length > 0 ? configured : (challenge.scopes ?? server.resourceScopes);
  const more = readScopes(options.scopes?.join(" "));
  // Scopes that are added must not cost those that were granted.
  const granted = more.length > 0 && before?.issuer === server.issuer ? (before.tokens?.scopes ?? []) : [];
  const scopes = new Set([...usual, ...granted, ...more]);
  // Where it is offered, this is what makes the sign-in last.
  const offline = server.metadata.scopes_supported?.includes("offline_access") === true;
  if (offline && scopes.size > 0) scopes.add("offline_access");
  return [...scopes];
}

/** Throws AccessProblem when the return is not from the authorization server that was asked, or is a refusal. */
function codeOf(returned: URLSearchParams, { metadata, issuer }: AuthorizationServer): string {
  try {
    validateAuthorizationResponseIssuer({
      iss: returned.get("iss") ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata["authorization_response_iss_parameter_supported"] === true,
    });
  } catch {
    // Security: what came with it is by somebody else, and is not shown.
    throw new AccessProblem("the answer came from another authorization server than the one that was asked");
  }
  const error = returned.get("error");
  if (error !== null) {
    const said = [error, returned.get("error_description") ?? ""].filter((part) => part !== "").join(": ");
    throw new AccessProblem(`${printable(issuer, 200)} answered ${printable(said, 200)}`);
  }
  const code = returned.get("code");
  if (code === null || code === "") throw new AccessProblem("the browser came back without a code");
  return code;
}

function signInOf(server: AuthorizationServer, client: KnownClient, tokens: SignIn["tokens"]): SignIn {
  const { metadata, issuer, resource } = server;
  return {
    id: randomUUID(),
    issuer,
    tokenEndpoint: metadata.token_endpoint,
    revocationEndpoint: revocationOf(metadata),
    authMethods: metadata.token_endpoint_auth_methods_supported,
    resource,
    client,
    tokens,
  };
}

function revocationOf(metadata: AuthorizationServer["metadata"]): string | undefined {
  const endpoint = (metadata as { revocation_endpoint?: unknown }).revocation_endpoint;
  return typeof endpoint === "string" ? endpoint : undefined;
}
