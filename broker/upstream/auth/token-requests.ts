// Owns the requests that end in tokens: refresh, client credentials, and what a refusal of them means.
import {
  createPrivateKeyJwtAuth,
  fetchToken,
  InsecureTokenEndpointError,
  OAuthError,
  refreshAuthorization,
  type AuthorizationServerMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { AccessProblem, accessProblemIn } from "../access-problem.ts";
import { printable } from "../printable.ts";
import { readScopes } from "./challenge.ts";
import type { AuthorizationServer } from "./discovery.ts";
import type { Fetch } from "./endpoint-fetch.ts";
import type { OAuthConfig } from "./oauth-config.ts";
import type { SignIn, Tokens } from "./sign-in.ts";

const MAX_TOKEN = 100_000;
const MAX_SECONDS = 10 * 366 * 86_400;

/** A refusal that trying again does not change. */
export class GrantRefused extends Error {}

export interface TokenPowers {
  readonly fetch: Fetch;
  /** ms since 1970. */
  readonly now: () => number;
}

/** New tokens for the refresh token. Throws GrantRefused when it has ended, AccessProblem otherwise. */
export async function refreshTokens(signIn: SignIn, refresh: string, powers: TokenPowers): Promise<Tokens> {
  const { issuer, tokenEndpoint, authMethods, client, resource } = signIn;
  const answer = await asked("refresh its token", () =>
    refreshAuthorization(issuer, {
      metadata: endpoints(issuer, tokenEndpoint, authMethods),
      clientInformation: client,
      refreshToken: refresh,
      ...(resource === undefined ? {} : { resource: resource as unknown as URL }),
      fetchFn: powers.fetch,
    }),
  );
  return readTokens(answer, signIn.tokens?.scopes ?? [], powers);
}

/** Tokens for the client itself. Throws GrantRefused and AccessProblem. */
export async function clientTokens(
  server: AuthorizationServer,
  oauth: OAuthConfig,
  scopes: readonly string[],
  powers: TokenPowers,
): Promise<Tokens> {
  const { clientId = "", clientSecret, privateKey, signingAlgorithm = "RS256" } = oauth;
  const scope = scopes.join(" ");
  const client = {
    issuer: server.issuer,
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  };
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ["client_credentials"] },
    clientInformation: () => client,
    prepareTokenRequest: () =>
      new URLSearchParams({ grant_type: "client_credentials", ...(scope === "" ? {} : { scope }) }),
    ...(privateKey === undefined
      ? {}
      : {
          addClientAuthentication: createPrivateKeyJwtAuth({
            issuer: clientId,
            subject: clientId,
            privateKey,
            alg: signingAlgorithm,
          }),
        }),
  };
  const answer = await asked("get a token", () =>
    fetchToken(provider as unknown as OAuthClientProvider, server.url, {
      metadata: server.metadata,
      ...(server.resource === undefined ? {} : { resource: server.resource as unknown as URL }),
      fetchFn: powers.fetch,
    }),
  );
  return readTokens(answer, scopes, powers);
}

/** As much of the metadata as a token request reads. */
function endpoints(
  issuer: string,
  tokenEndpoint: string,
  authMethods: readonly string[] | undefined,
): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: tokenEndpoint,
    token_endpoint: tokenEndpoint,
    response_types_supported: ["code"],
    ...(authMethods === undefined ? {} : { token_endpoint_auth_methods_supported: [...authMethods] }),
  };
}

/** Throws AccessProblem for a kind of token that is not a bearer token. */
export function readTokens(answer: OAuthTokens, scopes: readonly string[], { now }: TokenPowers): Tokens {
  const {
    access_token: access,
    refresh_token: refresh,
    expires_in: seconds,
    token_type: type,
    scope,
  } = answer;
  if (type.toLowerCase() !== "bearer")
    throw new AccessProblem(
      `its authorization server gives ${printable(type, 40)} tokens, not bearer tokens`,
    );
  // Security: it becomes a header.
  if (!/^[\x21-\x7e]+$/.test(access) || access.length > MAX_TOKEN)
    throw new AccessProblem("its authorization server gave a token that cannot be sent");
  const granted = readScopes(scope);
  return {
    access,
    ...(refresh === undefined || refresh === "" ? {} : { refresh }),
    ...(seconds === undefined || !(seconds > 0)
      ? {}
      : { expiresAt: now() + Math.min(seconds, MAX_SECONDS) * 1_000 }),
    scopes: granted.length === 0 ? [...scopes] : granted,
  };
}

/** Puts the failure of a token request into words, without anything that may be a secret. */
export async function asked<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = accessProblemIn(error);
    if (problem !== undefined) throw problem;
    if (isOAuthError(error) && error.code !== "server_error" && error.code !== "temporarily_unavailable") {
      throw new GrantRefused(`${printable(error.code, 60)}${said(error)}`);
    }
    if (InsecureTokenEndpointError.isInstance(error))
      throw new AccessProblem(`it was not asked to ${what}: its token endpoint is not https`);
    if (isOAuthError(error)) throw new AccessProblem(`its authorization server failed to ${what}`);
    if (error instanceof Error && error.name === "ZodError")
      throw new AccessProblem(`the answer to the request to ${what} has not the expected shape`);
    throw new AccessProblem(`the request to ${what} failed: ${network(error)}`);
  }
}

function isOAuthError(error: unknown): error is OAuthError {
  return error instanceof OAuthError;
}

function said({ message, code }: OAuthError): string {
  const text = printable(message, 200);
  return text === "" || text === code ? "" : ` (${text})`;
}

function network(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < 4 && at instanceof Error && at.cause instanceof Error; depth += 1)
    at = at.cause;
  const { code, message } = at as { code?: unknown; message?: unknown };
  return printable(typeof code === "string" ? code : message, 200);
}
