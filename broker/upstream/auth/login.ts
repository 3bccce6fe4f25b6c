// Owns signing in to an HTTP server and out again, as functions of the library.
import type { TokenStore } from "./token-store.ts";

export interface LoginOptions {
  /** Where the sign-in is kept: the one of the gates that are to use it. */
  readonly store: TokenStore;
  /** Shows a page to the person: opens a browser, or prints the URL. */
  readonly open: (url: URL) => void | Promise<void>;
  /** For `${VAR}` in the entry, and proxies. @defaultValue nothing */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Asked for in addition to what there is. */
  readonly scopes?: readonly string[];
  readonly signal?: AbortSignal;
  /** How long the person may take, ms. @defaultValue 300 000 */
  readonly timeoutMs?: number;
}

export interface LoginResult {
  readonly issuer: string;
  /** Granted; empty when the authorization server does not say. */
  readonly scopes: readonly string[];
  /** ms since 1970; absent when the authorization server does not say. */
  readonly expiresAt?: number;
  /** False: the person is asked again when the token expires. */
  readonly refreshable: boolean;
}

/**
 * Signs in to the server `name` with the entry `config` of `mcpServers`, by a browser and a redirect to 127.0.0.1, and
 * keeps the tokens in `store`, where gates find them. Throws CONFIG_INVALID, CALL_UPSTREAM_UNAVAILABLE, CALL_CANCELLED.
 */
export async function login(name: string, config: unknown, options: LoginOptions): Promise<LoginResult> {
  // Loaded here, since it needs the SDK, and most programs never sign in.
  return (await import("./login-run.ts")).login(name, config, options);
}

/** Removes the sign-in, and revokes its tokens where that is offered. Resolves to false when there was none. */
export async function logout(
  name: string,
  config: unknown,
  options: Pick<LoginOptions, "store" | "env" | "signal">,
): Promise<boolean> {
  return (await import("./login-run.ts")).logout(name, config, options);
}
