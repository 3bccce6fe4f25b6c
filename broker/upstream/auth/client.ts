// Owns who Callgate is to an authorization server: as configured, by a document, or by registering.
import { registerClient, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { AccessProblem } from "../access-problem.ts";
import { printable } from "../printable.ts";
import type { AuthorizationServer } from "./discovery.ts";
import type { Fetch } from "./endpoint-fetch.ts";
import { isSecure, type OAuthConfig } from "./oauth-config.ts";
import type { KnownClient, SignIn } from "./sign-in.ts";
import { asked } from "./token-requests.ts";

/**
 * The client for a sign-in: that of the entry, else one registered here before with the same authorization server, else
 * the metadata document where that is supported, else a new registration. Throws AccessProblem.
 */
export async function clientFor(
  server: AuthorizationServer,
  options: {
    readonly oauth: OAuthConfig;
    readonly kept: SignIn | undefined;
    readonly redirectUri: string;
    readonly scope: string | undefined;
    readonly fetch: Fetch;
    readonly now: () => number;
  },
): Promise<KnownClient> {
  const { oauth, kept, redirectUri, scope, fetch } = options;
  const { clientId, clientSecret, clientMetadataUrl } = oauth;
  const { metadata } = server;
  if (clientId !== undefined) {
    // Security: a client is known to one authorization server; another would learn its secret.
    if (kept !== undefined && kept.issuer !== server.issuer && kept.client.client_id === clientId) {
      throw new AccessProblem(
        `its authorization server was ${printable(kept.issuer, 200)} and is now ${printable(server.issuer, 200)}, ` +
          "to which oauth.clientId is not sent; set oauth.issuer if that is right, or run callgate logout first",
      );
    }
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  }
  const known = kept?.issuer === server.issuer ? kept.client : undefined;
  if (known?.redirectUri === redirectUri && !hasExpired(known, options.now())) return known;
  if (clientMetadataUrl !== undefined && metadata["client_id_metadata_document_supported"] === true) {
    return { client_id: clientMetadataUrl };
  }
  if (metadata.registration_endpoint === undefined) {
    throw new AccessProblem(
      `its authorization server ${printable(server.issuer, 200)} registers no clients by itself; ` +
        "register one there and put it into oauth.clientId of its entry",
    );
  }
  const client = await asked("register as a client", () =>
    registerClient(server.url, {
      metadata,
      clientMetadata: {
        client_name: "Callgate",
        redirect_uris: [redirectUri],
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: authMethod(metadata.token_endpoint_auth_methods_supported),
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    }).catch((error: unknown) => {
      if (!RegistrationRejectedError.isInstance(error)) throw error;
      throw new AccessProblem(
        `its authorization server does not register Callgate (HTTP ${error.status}): ${printable(error.body, 200)}`,
      );
    }),
  );
  const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } = client;
  return {
    client_id,
    client_secret,
    token_endpoint_auth_method,
    secretExpiresAt: client_secret_expires_at === undefined ? undefined : client_secret_expires_at * 1_000,
    redirectUri,
  };
}

function hasExpired({ secretExpiresAt = 0 }: KnownClient, now: number): boolean {
  return secretExpiresAt !== 0 && secretExpiresAt <= now;
}

/** A program on a person's machine keeps no secret, so none is asked for where that is allowed. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes("none")) return "none";
  return supported.find((method) => /^client_secret_(?:basic|post)$/.test(method)) ?? "none";
}

/** Security: PKCE with S256 or nothing; a server that does not say that it checks it may not check it. */
export function refuseWithoutPkce({ metadata, issuer }: AuthorizationServer): void {
  const methods = metadata.code_challenge_methods_supported ?? [];
  if (methods.includes("S256") && isSecure(URL.parse(metadata.authorization_endpoint))) return;
  throw new AccessProblem(`its authorization server ${printable(issuer, 200)} does not offer PKCE with S256`);
}
