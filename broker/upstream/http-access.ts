// Owns how requests reach one HTTP server: through the guard, with a token when there is one, redirects explained.
import type { LiveSecrets } from "../live-secrets.ts";
import { AccessProblem } from "./access-problem.ts";
import { createAddressGuard, type Resolve } from "./address-guard.ts";
import { readChallenge } from "./auth/challenge.ts";
import { createEndpointFetch, place, type Fetch } from "./auth/endpoint-fetch.ts";
import { hasOwnToken } from "./auth/oauth-config.ts";
import { createAuthSession, type AuthSession } from "./auth/session.ts";
import { createMemoryTokens, type TokenStore } from "./auth/token-store.ts";
import type { McpServerConfig } from "./config.ts";
import type { Environment } from "./expand.ts";
import { createHttpDispatcher, urlOf } from "./http-dispatcher.ts";

/** What HTTP servers are reached with. */
export interface HttpPowers {
  /** Names proxies. */
  readonly env?: Environment;
  /** @defaultValue in memory */
  readonly tokens?: TokenStore;
  readonly secrets: LiveSecrets;
  /** Instead of undici, for tests. */
  readonly fetch?: Fetch;
  /** Instead of the system's, for tests. */
  readonly resolve?: Resolve;
  readonly connectTimeoutMs: number;
}

export interface HttpAccess {
  readonly fetch: Fetch;
  /** Absent when the entry has an Authorization header. */
  readonly session: AuthSession | undefined;
  /** Frees the sockets. */
  release(): Promise<void>;
}

/** A guarded way to the server of an entry, without tokens. Throws AccessProblem for proxies that cannot be used. */
export function openRoute(
  config: McpServerConfig,
  powers: HttpPowers,
): { fetch: Fetch; release(): Promise<void> } {
  const named = [config.url, config.oauth?.authServerMetadataUrl, config.oauth?.issuer];
  const guard = createAddressGuard({
    named: named.map((url) => URL.parse(url ?? "")).filter((url) => url !== null),
    allowPrivate: config.allowPrivate === true,
    ...(powers.resolve === undefined ? {} : { resolve: powers.resolve }),
  });
  const { env = {}, connectTimeoutMs } = powers;
  const dispatcher = createHttpDispatcher({ env, guard, connectTimeoutMs });
  powers.secrets.add(...dispatcher.secrets);
  return { fetch: powers.fetch ?? dispatcher.fetch, release: dispatcher.release };
}

export function createHttpAccess(
  server: string,
  config: McpServerConfig,
  powers: HttpPowers,
  signal: AbortSignal,
): HttpAccess {
  const route = openRoute(config, powers);
  const url = new URL(config.url ?? "");
  const session = hasOwnToken(config)
    ? undefined
    : createAuthSession({
        server,
        config,
        store: powers.tokens ?? createMemoryTokens(),
        fetch: createEndpointFetch(route.fetch, url, signal),
        secrets: powers.secrets,
        signal,
      });

  async function send(input: Parameters<Fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const response = await route.fetch(input, init);
    const { status } = response;
    if (status >= 300 && status < 400) {
      const from = urlOf(input);
      const to = URL.parse(response.headers.get("location") ?? "", from.href);
      // Security: another origin was neither configured nor checked, and would get the headers of this one.
      if (to !== null && to.origin !== from.origin) {
        await response.body?.cancel();
        const where = `it redirects to ${place(to)} (HTTP ${status}), which is not followed`;
        throw new AccessProblem(`${where}; if that is right, put its URL into the config`, { status });
      }
    }
    return response;
  }

  const authorised: Fetch = async (input, init) => {
    if (session === undefined) return send(input, init);
    let token = await session.token();
    let response = await send(input, withToken(init, token));
    // Twice, since what was kept by another process may have expired as well.
    for (let kept = true; response.status === 401 && kept;) {
      const challenge = readChallenge(response.headers);
      await response.body?.cancel();
      const renewed = await session.renew(token, challenge);
      ({ token } = renewed);
      kept = !renewed.fresh;
      response = await send(input, withToken(init, token));
    }
    if (response.status !== 401 && response.status !== 403) return response;
    const challenge = readChallenge(response.headers);
    if (response.status === 403) {
      if (challenge.error !== "insufficient_scope") return response;
      const newer = await session.newer(token);
      if (newer !== undefined) {
        await response.body?.cancel();
        response = await send(input, withToken(init, newer));
        if (response.status !== 403) return response;
      }
    }
    await response.body?.cancel();
    throw session.refusal(response.status === 401 ? 401 : 403, challenge);
  };
  return { fetch: authorised, session, release: route.release };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
