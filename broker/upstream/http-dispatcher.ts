// Owns the sockets to one HTTP server: a pool, proxies from the environment, and no connection the guard refuses.
import { Agent, EnvHttpProxyAgent, fetch as undiciFetch, Pool, type Dispatcher } from "undici";
import { AccessProblem } from "./access-problem.ts";
import type { AddressGuard } from "./address-guard.ts";
import { lookUp, type Environment } from "./expand.ts";

export interface HttpDispatcher {
  /** Follows no redirect to another origin unless told to by the caller's `redirect`. */
  readonly fetch: typeof globalThis.fetch;
  /** Passwords of proxies; never to be shown. */
  readonly secrets: readonly string[];
  /** Frees the sockets. */
  release(): Promise<void>;
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks:"]);
/** Never sent to a proxy, for which these names are another machine. */
const LOOPBACK = "localhost,.localhost,127.0.0.1,::1";

/**
 * Proxies: HTTP_PROXY, HTTPS_PROXY and NO_PROXY of `env`, in lower case first. Through a proxy it is the proxy that
 * resolves names, so only addresses written as such are checked there. Throws AccessProblem for a proxy that is no URL.
 */
export function createHttpDispatcher(options: {
  readonly env: Environment;
  readonly guard: AddressGuard;
  /** TCP and TLS, ms. */
  readonly connectTimeoutMs: number;
}): HttpDispatcher {
  const { guard, connectTimeoutMs } = options;
  // A call may stay silent for longer than the 300 seconds that are the default: its deadline is kept elsewhere.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 };
  const settings = { ...untimed, connect: { timeout: connectTimeoutMs, lookup: guard.lookup } };
  const proxies = { http: proxyOf(options.env, "http_proxy"), https: proxyOf(options.env, "https_proxy") };
  const secrets = [proxies.http, proxies.https].flatMap(passwordOf);
  const direct = proxies.http === "" && proxies.https === "";
  const dispatcher: Dispatcher = direct
    ? new Agent(settings)
    : new EnvHttpProxyAgent({
        ...settings,
        // The connection to a proxy that forwards is made without the settings.
        factory: (origin: string | URL, options: object) => new Pool(origin, { ...options, ...untimed }),
        httpProxy: proxies.http,
        httpsProxy: proxies.https,
        noProxy: [variable(options.env, "no_proxy"), LOOPBACK].filter((part) => part !== "").join(","),
      });
  const fetch = async (input: unknown, init: unknown): Promise<unknown> => {
    guard.check(urlOf(input));
    return undiciFetch(input as string, { ...(init as object), dispatcher });
  };
  return {
    fetch: fetch as typeof globalThis.fetch,
    secrets,
    release: () => dispatcher.destroy(),
  };
}

/** The URL of what `fetch` is given. */
export function urlOf(input: unknown): URL {
  if (input instanceof URL) return input;
  return new URL(typeof input === "string" ? input : (input as Request).url);
}

function variable(env: Environment, name: string): string {
  return lookUp(env, name) ?? lookUp(env, name.toUpperCase()) ?? "";
}

function proxyOf(env: Environment, name: string): string {
  const value = variable(env, name).trim();
  if (value === "") return "";
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (url === null || !SCHEMES.has(url.protocol) || !isEncoded(url.username + url.password)) {
    // Security: the value may hold a password.
    throw new AccessProblem(`${name.toUpperCase()} of the environment is not the URL of a proxy`);
  }
  return url.href;
}

function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

function passwordOf(proxy: string): string[] {
  const password = URL.parse(proxy)?.password ?? "";
  return password === "" ? [] : [password, decodeURIComponent(password)];
}
