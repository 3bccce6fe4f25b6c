// Owns what is kept of a sign-in, and under which key.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { McpServerConfig } from "../config.ts";
import type { TokenStore } from "./token-store.ts";

/** The client as the authorization server knows it. */
export interface KnownClient {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
  /** ms since 1970; 0 or absent: never. */
  readonly secretExpiresAt?: number | undefined;
  /** Of a client that was registered here. */
  readonly redirectUri?: string | undefined;
}

export interface SignIn {
  /** Of this sign-in, whose it is: refreshed tokens keep it, another sign-in has another. */
  readonly id: string;
  /** The authorization server that everything here belongs to. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  readonly authMethods?: readonly string[] | undefined;
  /** RFC 8707, as the server published it. */
  readonly resource?: string | undefined;
  readonly client: KnownClient;
  /** Absent once they are refused for good. */
  readonly tokens?: Tokens | undefined;
}

export interface Tokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** ms since 1970; absent when the server does not say. */
  readonly expiresAt?: number | undefined;
  readonly scopes: readonly string[];
}

const shape = z.object({
  id: z.string(),
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  authMethods: z.array(z.string()).optional(),
  resource: z.string().optional(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
    secretExpiresAt: z.number().optional(),
    redirectUri: z.string().optional(),
  }),
  tokens: z
    .object({
      access: z.string(),
      refresh: z.string().optional(),
      expiresAt: z.number().optional(),
      scopes: z.array(z.string()),
    })
    .optional(),
});

/** Undefined for a text that is no sign-in. */
export function readSignIn(text: string | undefined): SignIn | undefined {
  if (text === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The key of a server's sign-in: its URL without query, and a digest of all that decides who gets a token.
 * Security: two entries share a sign-in only when they would send it to the same places.
 */
export function signInKey({ url = "", oauth = {} }: McpServerConfig): string {
  const { grant, clientId, clientMetadataUrl, authServerMetadataUrl, issuer } = oauth;
  const facts = JSON.stringify([url, grant, clientId, clientMetadataUrl, authServerMetadataUrl, issuer]);
  const digest = createHash("sha256").update(facts).digest("base64url").slice(0, 22);
  return `${url.split(/[?#]/, 1)[0] ?? ""} ${digest}`;
}

/** Whom a server takes us for, beyond what its entry says by itself; empty where nobody is signed in. Never rejects. */
export async function authContext(config: McpServerConfig, store: TokenStore | undefined): Promise<string> {
  if (config.url === undefined) return "";
  const key = signInKey(config);
  const kept = readSignIn(await store?.load(key).catch(() => undefined));
  if (config.oauth === undefined && kept === undefined) return "";
  return `${key} ${kept?.id ?? ""}`;
}
