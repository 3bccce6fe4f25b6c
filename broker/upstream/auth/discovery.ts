// Owns the finding of a server's authorization server, and the checks that it is the right one.
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  isSpecType,
  type AuthorizationServerMetadata,
  type OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { AccessProblem, accessProblemIn } from "../access-problem.ts";
import { printable } from "../printable.ts";
import { readScopes, type Challenge } from "./challenge.ts";
import { place, type Fetch } from "./endpoint-fetch.ts";
import { isSecure, type OAuthConfig } from "./oauth-config.ts";

export interface AuthorizationServer {
  /** As its metadata calls it; credentials are bound to it. */
  readonly issuer: string;
  /** As the server names it. */
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Exactly as the server published it; undefined when it did not. */
  readonly resource: string | undefined;
  readonly resourceScopes: readonly string[];
}

/** Throws AccessProblem with the reason. */
export async function discover(
  server: URL,
  options: { readonly oauth: OAuthConfig; readonly challenge: Challenge; readonly fetch: Fetch },
): Promise<AuthorizationServer> {
  const { oauth, challenge, fetch } = options;
  const resource = await resourceMetadata(server, challenge, fetch);
  const url = resource?.authorization_servers?.[0] ?? String(new URL("/", server));
  const metadata = await authorizationServerMetadata(url, oauth, fetch);
  if (metadata === undefined) {
    const where = place(new URL(url));
    throw new AccessProblem(
      resource === undefined
        ? `neither it nor ${where} describes how to sign in; if it takes a key, put it into headers of its entry`
        : `its authorization server ${where} does not describe itself`,
    );
  }
  const { issuer } = metadata;
  if (oauth.issuer !== undefined && oauth.issuer !== issuer) {
    throw new AccessProblem(
      `its authorization server is ${printable(issuer, 200)}, but oauth.issuer of its entry is another`,
    );
  }
  return {
    issuer,
    url,
    metadata,
    resource: resource?.resource,
    resourceScopes: readScopes(resource?.scopes_supported?.join(" ")),
  };
}

async function resourceMetadata(
  server: URL,
  challenge: Challenge,
  fetch: Fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const named = challenge.resourceMetadata;
  let found: OAuthProtectedResourceMetadata;
  try {
    found = await discoverOAuthProtectedResourceMetadata(
      server,
      named === undefined ? {} : { resourceMetadataUrl: named },
      fetch,
    );
  } catch (error) {
    const problem = accessProblemIn(error);
    if (problem !== undefined) throw problem;
    // Servers of before 2025-06 have none: they are their own authorization server.
    if (named === undefined) return undefined;
    throw new AccessProblem(`what it says of its authorization at ${place(named)} cannot be read`);
  }
  const requestedResource = new URL(server);
  requestedResource.hash = "";
  // Security: a token for somebody else's resource must not be asked for in this server's name.
  if (!checkResourceAllowed({ requestedResource, configuredResource: found.resource })) {
    throw new AccessProblem(
      `its metadata is about another resource, ${printable(found.resource, 200)}; no token is asked for`,
    );
  }
  return found;
}

async function authorizationServerMetadata(
  url: string,
  oauth: OAuthConfig,
  fetch: Fetch,
): Promise<AuthorizationServerMetadata | undefined> {
  const configured = oauth.authServerMetadataUrl;
  try {
    if (configured !== undefined) {
      const response = await fetch(configured, { headers: { accept: "application/json" } });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const metadata: unknown = await response.json();
      if (!isSpecType.OAuthMetadata(metadata)) throw new Error("it has not the expected shape");
      return checked(metadata);
    }
    const found = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
    return found === undefined ? undefined : checked(found);
  } catch (error) {
    const problem = accessProblemIn(error);
    if (problem !== undefined) throw problem;
    const where = place(new URL(configured ?? url));
    if (IssuerMismatchError.isInstance(error)) {
      throw new AccessProblem(`the metadata at ${where} names another issuer, so it is not used`);
    }
    throw new AccessProblem(
      `the metadata of its authorization server ${where} cannot be read: ${short(error)}`,
    );
  }
}

/** Security: an endpoint that is not https would get codes and secrets in the clear. */
function checked(metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (endpoint === undefined) continue;
    const url = URL.parse(endpoint);
    if (url === null || !isSecure(url)) {
      throw new AccessProblem(
        `its authorization server names an endpoint that is not https: ${printable(endpoint, 120)}`,
      );
    }
  }
  return metadata;
}

function short(error: unknown): string {
  if (error instanceof Error && error.name === "ZodError") return "it has not the expected shape";
  return printable(error instanceof Error ? error.message : error, 200);
}
