// Owns a sign-in and its end as a whole: the entry read, the way opened and closed, failures put into words.
import { CallgateError } from "../../../contract/error.ts";
import { createLiveSecrets } from "../../live-secrets.ts";
import { AccessProblem, accessProblemIn } from "../access-problem.ts";
import { parseServers, printingOf } from "../config.ts";
import { openRoute } from "../http-access.ts";
import { printable } from "../printable.ts";
import { createWording } from "../wording.ts";
import { discover } from "./discovery.ts";
import { createEndpointFetch } from "./endpoint-fetch.ts";
import { byItself, byPerson, probe, type Flow } from "./login-flow.ts";
import type { LoginOptions, LoginResult } from "./login.ts";
import { hasOwnToken, mayGetTokens } from "./oauth-config.ts";
import { readSignIn, signInKey } from "./sign-in.ts";
import { GrantRefused } from "./token-requests.ts";
import { held } from "./token-store.ts";

/** See `login` of login.ts. */
export function login(name: string, config: unknown, options: LoginOptions): Promise<LoginResult> {
  return inFlow(name, config, options, async (flow) => {
    const { oauth } = flow;
    if (hasOwnToken(flow.config))
      throw new AccessProblem(
        "headers.Authorization of its entry is sent, so a sign-in would not be; remove it",
      );
    if (!mayGetTokens(flow.url, flow.config.allowPrivate === true))
      throw new AccessProblem("its url is not https, and tokens would be sent there for all to read");
    const challenge = await probe(flow);
    const server = await discover(flow.url, { oauth, challenge, fetch: flow.fetch });
    const before = readSignIn(await options.store.load(signInKey(flow.config)));
    const signIn =
      oauth.grant === "client_credentials"
        ? await byItself(flow, server, challenge)
        : await byPerson(flow, server, challenge, before);
    const { scopes = [], expiresAt, refresh } = signIn.tokens ?? {};
    return {
      issuer: signIn.issuer,
      scopes,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      refreshable: refresh !== undefined || oauth.grant === "client_credentials",
    };
  });
}

/** See `logout` of login.ts. */
export function logout(
  name: string,
  config: unknown,
  options: Pick<LoginOptions, "store" | "env" | "signal">,
): Promise<boolean> {
  return inFlow(name, config, { ...options, open: () => {} }, async ({ config: parsed, fetch }) => {
    const key = signInKey(parsed);
    const { store } = options;
    if ((await store.load(key)) === undefined) return false;
    // What a refresh that is under way gets is signed out of, too.
    const text = await held(store, key, async () => {
      const last = await store.load(key);
      await store.save(key, undefined);
      return last;
    });
    const kept = readSignIn(text);
    const token = kept?.tokens?.refresh ?? kept?.tokens?.access;
    if (kept?.revocationEndpoint !== undefined && token !== undefined) {
      const body = new URLSearchParams({ token, client_id: kept.client.client_id });
      const { client_secret: secret } = kept.client;
      if (secret !== undefined) body.set("client_secret", secret);
      // Best effort: the tokens are forgotten here in any case.
      await fetch(kept.revocationEndpoint, { method: "POST", body }).catch(() => {});
    }
    return text !== undefined;
  });
}

async function inFlow<T>(
  server: string,
  entry: unknown,
  options: LoginOptions,
  work: (flow: Flow) => Promise<T>,
): Promise<T> {
  const { env = {} } = options;
  const { servers, failed } = parseServers({ [server]: entry }, { env });
  const config = servers.get(server);
  const reason =
    failed.get(server) ?? (config?.url === undefined ? "it is no HTTP server, so there is no sign-in" : "");
  if (config === undefined || reason !== "") {
    throw new CallgateError("CONFIG_INVALID", `${printable(server, 64)}: ${reason || "it is disabled"}`);
  }
  const secrets = createLiveSecrets();
  const wording = createWording(server, printingOf(config).secrets, secrets);
  const life = new AbortController();
  const signal = AbortSignal.any([life.signal, options.signal ?? life.signal]);
  let release = (): Promise<void> => Promise.resolve();
  try {
    const route = openRoute(config, { env, secrets, connectTimeoutMs: 15_000 });
    release = route.release;
    const url = new URL(config.url ?? "");
    const fetch = createEndpointFetch(route.fetch, url, signal);
    const { oauth = {} } = config;
    return await work({ url, config, oauth, options, secrets, plain: route.fetch, fetch, signal });
  } catch (error) {
    if (CallgateError.is(error)) throw error;
    if (options.signal?.aborted === true) {
      const why = `the sign-in to ${printable(server, 64)} was cancelled`;
      throw new CallgateError("CALL_CANCELLED", why, { data: { server, sent: false } });
    }
    const message = (accessProblemIn(error) ?? (error as Error)).message;
    const why = error instanceof GrantRefused ? `it was refused: ${message}` : message;
    throw new CallgateError(
      "CALL_UPSTREAM_UNAVAILABLE",
      `no sign-in to ${JSON.stringify(printable(server, 64))}: ${wording.clean(why, 900)}`,
      { data: { server, sent: false } },
    );
  } finally {
    life.abort(new Error("ended"));
    await release();
  }
}
