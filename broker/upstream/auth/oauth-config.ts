// Owns the key `oauth` of a server's entry.
import { z } from "zod";
import { hostOf, isLoopback, namesPrivate } from "../address-guard.ts";
import { printable } from "../printable.ts";
import { readScopes } from "./challenge.ts";

/** How to get tokens for an HTTP server. Everything may be left out: what is missing is discovered, or registered. */
export interface OAuthConfig {
  /** Who signs in: a person with a browser, or the program itself. @defaultValue "authorization_code" */
  readonly grant?: "authorization_code" | "client_credentials";
  /** Of a client that the authorization server knows already. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** PEM (PKCS #8): signs a JWT in place of the secret; for client_credentials. */
  readonly privateKey?: string;
  /** Of the JWT. @defaultValue "RS256" */
  readonly signingAlgorithm?: string;
  /** https URL of a client metadata document, which servers that support it take for a registration. */
  readonly clientMetadataUrl?: string;
  /** Space-separated or a list. @defaultValue what the server asks for */
  readonly scopes?: string | readonly string[];
  /** Of the redirect to 127.0.0.1, for clients registered with one. @defaultValue any free one */
  readonly callbackPort?: number;
  /** The authorization server's metadata, instead of what the server names. */
  readonly authServerMetadataUrl?: string;
  /** The one authorization server that may be used. @defaultValue the one that is found */
  readonly issuer?: string;
}

const scopeText = z.string().max(2_000);

/** As zod leaves it: what is absent may be there as undefined. */
type Given = { [Key in keyof OAuthConfig]?: OAuthConfig[Key] | undefined };

const schema = z.object({
  grant: z.enum(["authorization_code", "client_credentials"]).optional(),
  clientId: z.string().min(1).max(2_000).optional(),
  clientSecret: z.string().min(1).max(10_000).optional(),
  privateKey: z.string().min(1).max(20_000).optional(),
  signingAlgorithm: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]{1,10}$/, "expected a name such as ES256")
    .optional(),
  clientMetadataUrl: z.string().min(1).optional(),
  scopes: z
    .union([scopeText, z.array(scopeText).max(50)], { error: "expected a text or a list of texts" })
    .optional(),
  callbackPort: z.number().int().min(1).max(65_535).optional(),
  authServerMetadataUrl: z.string().min(1).optional(),
  issuer: z.string().min(1).optional(),
});

const KNOWN: ReadonlySet<string> = new Set(Object.keys(schema.shape));

/** Keys that mean nothing here; other hosts have some of their own. */
export function unknownOAuthKeys(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).filter((key) => !KNOWN.has(key));
}

/** What an entry says, without unknown keys; or why it cannot be used. */
export function readOAuth(value: unknown): Given | string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const inside = issue?.path.map((part) => `.${printable(String(part), 64)}`).join("") ?? "";
  return `oauth${inside}: ${printable(issue?.message ?? "invalid")}`;
}

/** Opens each text of the entry; `where` names it in messages. */
export function openOAuth(oauth: Given, open: (text: string, where: string) => string): OAuthConfig {
  const texts = Object.entries(oauth).map(([key, value]) => [
    key,
    typeof value === "string" && key !== "grant" && key !== "signingAlgorithm"
      ? open(value, `oauth.${key}`)
      : value,
  ]);
  return Object.fromEntries(texts) as OAuthConfig;
}

/** Why it cannot be used; undefined when it can. */
export function oauthProblem(oauth: OAuthConfig): string | undefined {
  const { grant, clientId, clientSecret, privateKey } = oauth;
  if (grant === "client_credentials") {
    if (clientId === undefined) return "oauth.clientId: client_credentials needs it";
    if ((clientSecret === undefined) === (privateKey === undefined))
      return "oauth: client_credentials needs clientSecret or privateKey, and not both";
  } else if (privateKey !== undefined) return "oauth.privateKey: only for the grant client_credentials";
  if (clientSecret !== undefined && clientId === undefined) return "oauth.clientSecret: needs clientId";
  for (const key of ["clientMetadataUrl", "authServerMetadataUrl", "issuer"] as const) {
    const value = oauth[key];
    if (value !== undefined && !isSecure(URL.parse(value))) return `oauth.${key}: expected an https:// URL`;
  }
  return undefined;
}

/** https, or http to this machine. Security: secrets and codes go to no other. */
export function isSecure(url: URL | null): boolean {
  if (url === null) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(hostOf(url)));
}

/**
 * Whether a server may get tokens: by https, or inside a private network that its entry speaks of. Security: on the way
 * to any other they could be read, and what the server says of its authorization be replaced.
 */
export function mayGetTokens(url: URL, allowPrivate: boolean): boolean {
  return url.protocol === "https:" || allowPrivate || namesPrivate(hostOf(url));
}

/** Whether the entry brings a token of its own, beside which no other is sent. */
export function hasOwnToken({
  headers = {},
}: {
  readonly headers?: Readonly<Record<string, string>>;
}): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

export function scopesOf(oauth: OAuthConfig | undefined): readonly string[] {
  const { scopes = [] } = oauth ?? {};
  return readScopes(typeof scopes === "string" ? scopes : scopes.join(" "));
}
