// Owns the tokens of one HTTP server while a gate is open: read, refreshed once for all who wait, and given up.
import type { LiveSecrets } from "../../live-secrets.ts";
import { AccessProblem } from "../access-problem.ts";
import { raced } from "../clock.ts";
import type { McpServerConfig } from "../config.ts";
import { printable } from "../printable.ts";
import type { Challenge } from "./challenge.ts";
import { discover, type AuthorizationServer } from "./discovery.ts";
import type { Fetch } from "./endpoint-fetch.ts";
import { scopesOf } from "./oauth-config.ts";
import { readSignIn, signInKey, type SignIn, type Tokens } from "./sign-in.ts";
import { clientTokens, GrantRefused, refreshTokens } from "./token-requests.ts";
import { held, type TokenStore } from "./token-store.ts";

/** How a server's authorization stands. */
export interface AuthStatus {
  readonly state: "signed-in" | "login-needed" | "scopes-needed";
  /** Asked for and missing; printable. */
  readonly scopes?: readonly string[];
}

export interface AuthSession {
  /** For the next request; undefined when there is none. */
  token(): Promise<string | undefined>;
  /** After a 401 for `refused`: another token. Rejects with AccessProblem that says what to do. */
  renew(refused: string | undefined, challenge: Challenge): Promise<Renewed>;
  /** A token that somebody else got meanwhile; undefined when `used` is still the one. */
  newer(used: string | undefined): Promise<string | undefined>;
  /** What to throw when a fresh token is refused too, or lacks scopes. */
  refusal(status: 401 | 403, challenge: Challenge): AccessProblem;
  status(): AuthStatus | undefined;
  /** True when a person has signed in since a sign-in was asked for. */
  revived(): Promise<boolean>;
}

export interface Renewed {
  readonly token: string;
  /** Given just now; false for one that was kept. */
  readonly fresh: boolean;
}

export interface AuthSessionOptions {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly store: TokenStore;
  /** For authorization servers. */
  readonly fetch: Fetch;
  readonly secrets: LiveSecrets;
  readonly signal: AbortSignal;
  /** ms since 1970. @defaultValue Date.now */
  readonly now?: () => number;
}

/** A token is replaced this long before it expires. */
const EARLY_MS = 30_000;

export function createAuthSession(options: AuthSessionOptions): AuthSession {
  const { server, config, store, secrets, signal } = options;
  const { oauth = {} } = config;
  const powers = { fetch: options.fetch, now: options.now ?? Date.now };
  const key = signInKey(config);
  const loginCommand = `callgate login ${pasteable(server) ? server : "with its name"}`;
  const automatic = oauth.grant === "client_credentials";
  let tokens: Tokens | undefined;
  let reading: Promise<void> | undefined;
  let renewing: Promise<Renewed> | undefined;
  let found: AuthorizationServer | undefined;
  let need: AuthStatus | undefined;
  let unanswered: string | undefined;

  const login = (why: string, challenge: Challenge): AccessProblem => {
    const { scopes } = challenge;
    need = { state: "login-needed", ...(scopes === undefined ? {} : { scopes }) };
    unanswered = tokens?.access;
    const auth = { need: "login", ...(scopes === undefined ? {} : { scopes }) } as const;
    return new AccessProblem(`${why}: run ${loginCommand}, or call login()`, { auth, status: 401 });
  };

  function take(fresh: Tokens, instead: Tokens | undefined = tokens): string {
    secrets.retire(tokens?.access, tokens?.refresh, instead?.access, instead?.refresh);
    tokens = fresh;
    need = undefined;
    secrets.add(fresh.access, fresh.refresh);
    return fresh.access;
  }

  async function load(): Promise<SignIn | undefined> {
    const text = await store.load(key).catch((error: unknown) => {
      throw new AccessProblem(
        error instanceof Error ? printable(error.message, 600) : "its sign-in cannot be read",
      );
    });
    const kept = readSignIn(text);
    secrets.add(kept?.client.client_secret, kept?.tokens?.access, kept?.tokens?.refresh);
    return kept;
  }

  /** For all who ask before it is there; read again after a failure. */
  async function readOnce(): Promise<void> {
    try {
      const kept = await load();
      if (kept?.tokens !== undefined && tokens === undefined) take(kept.tokens);
    } catch (error) {
      reading = undefined;
      throw error;
    }
  }

  async function clientRenewal(challenge: Challenge): Promise<Renewed> {
    // Security: found once. A server that later names another authorization server gets no secret sent there.
    found ??= await discover(new URL(config.url ?? ""), { oauth, challenge, fetch: options.fetch });
    const configured = scopesOf(oauth);
    const scopes = configured.length > 0 ? configured : (challenge.scopes ?? found.resourceScopes);
    return { token: take(await clientTokens(found, oauth, scopes, powers)), fresh: true };
  }

  function asksWhat(challenge: Challenge): string {
    if (config.oauth !== undefined || Object.keys(challenge).length > 0)
      return "it asks to sign in (HTTP 401)";
    return "it wants authorization (HTTP 401): set headers.Authorization of its entry; or, if people sign in there";
  }

  async function personRenewal(refused: string | undefined, challenge: Challenge): Promise<Renewed> {
    const kept = await load();
    // Another process, or a person, has been here.
    if (kept?.tokens !== undefined && kept.tokens.access !== refused) {
      return { token: take(kept.tokens), fresh: false };
    }
    if (kept?.tokens === undefined) throw login(asksWhat(challenge), challenge);
    if (kept.tokens.refresh === undefined) {
      tokens = kept.tokens;
      throw login("its sign-in has ended (HTTP 401)", challenge);
    }
    try {
      const fresh = await refreshTokens(kept, kept.tokens.refresh, powers);
      // Before it is kept: the old one may be spent, and a full disk must not cost the sign-in of this process.
      const token = take(fresh, kept.tokens);
      await store.save(key, JSON.stringify({ ...kept, tokens: fresh } satisfies SignIn));
      return { token, fresh: true };
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
      const { tokens: _ended, ...rest } = kept;
      await store.save(key, JSON.stringify(rest satisfies SignIn));
      tokens = undefined;
      throw login(`its sign-in has ended: ${error.message}`, challenge);
    }
  }

  async function renewal(refused: string | undefined, challenge: Challenge): Promise<Renewed> {
    try {
      if (automatic) return await clientRenewal(challenge);
      const work = (): Promise<Renewed> => personRenewal(refused, challenge);
      // Nothing is kept for most servers, and then nothing needs a lock.
      return await ((await load())?.tokens?.refresh === undefined ? work() : held(store, key, work));
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
      const why = `its authorization server refuses oauth.clientId of its entry: ${error.message}`;
      throw new AccessProblem(why, { status: 401 });
    }
  }

  function renew(refused: string | undefined, challenge: Challenge): Promise<Renewed> {
    if (tokens !== undefined && tokens.access !== refused) {
      return Promise.resolve({ token: tokens.access, fresh: false });
    }
    renewing ??= renewal(refused, challenge).finally(() => (renewing = undefined));
    return raced(renewing, signal);
  }

  return {
    async token() {
      if (!automatic) await (reading ??= readOnce());
      if (tokens?.expiresAt === undefined || powers.now() < tokens.expiresAt - EARLY_MS)
        return tokens?.access;
      if (!automatic && tokens.refresh === undefined) return tokens.access;
      const old = tokens.access;
      // An authorization server that is away is no reason not to try a token that may still be good.
      try {
        return (await renew(old, {})).token;
      } catch (error) {
        if (error instanceof AccessProblem && error.auth !== undefined) throw error;
        return old;
      }
    },
    renew,
    async newer(used) {
      const kept = automatic ? undefined : await load();
      if (kept?.tokens !== undefined && kept.tokens.access !== used) take(kept.tokens);
      return tokens?.access === used ? undefined : tokens?.access;
    },
    refusal(status, challenge) {
      if (status === 401) {
        if (automatic)
          return new AccessProblem("it refuses the token that it was given (HTTP 401)", { status });
        return login("it refuses the token of the last sign-in (HTTP 401)", challenge);
      }
      const scopes = challenge.scopes ?? [];
      unanswered = tokens?.access;
      need = { state: "scopes-needed", ...(scopes.length === 0 ? {} : { scopes }) };
      const wanted = scopes.length === 0 ? "more scopes" : `the scopes ${scopes.slice(0, 10).join(" ")}`;
      const flags = scopes.slice(0, 10).filter(pasteable);
      const how = automatic
        ? "add them to oauth.scopes of its entry"
        : `run ${[loginCommand, ...flags.map((scope) => `--scope ${scope}`)].join(" ")}, or call login()`;
      const auth = { need: "scopes", ...(scopes.length === 0 ? {} : { scopes }) } as const;
      return new AccessProblem(`it wants ${wanted} for this (HTTP 403); ${how}`, { auth, status });
    },
    status: () => need ?? (tokens === undefined ? undefined : { state: "signed-in" }),
    async revived() {
      if (automatic || need === undefined) return false;
      const kept = await load().catch(() => undefined);
      if (kept?.tokens === undefined || kept.tokens.access === unanswered) return false;
      take(kept.tokens);
      return true;
    },
  };
}

/** Security: people copy commands out of messages; what a server wrote must mean nothing to a shell. */
function pasteable(word: string): boolean {
  return /^[A-Za-z0-9][\w.:/@+-]{0,79}$/.test(word);
}
