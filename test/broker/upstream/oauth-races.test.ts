// Sign-ins that change while a token is being refreshed, or cannot be kept.
import { expect, test } from "vitest";
import { createLiveSecrets } from "../../../broker/live-secrets.ts";
import { logout } from "../../../broker/upstream/auth/login.ts";
import { createMemoryTokens, type TokenStore } from "../../../broker/upstream/auth/token-store.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { verifies } from "../../requirements.ts";
import type { Faulty } from "./http-support.ts";
import { authorizationServer, protectedServer, signIn, type AuthorizationServer } from "./oauth-support.ts";
import { ask, names, open, said, thrown } from "./support.ts";

interface Scene {
  readonly auth: AuthorizationServer;
  readonly server: Faulty;
  readonly store: TokenStore;
  readonly upstream: Upstream;
}

/** A gate whose sign-in has just expired. */
async function expired(store: TokenStore = createMemoryTokens()): Promise<Scene> {
  const auth = await authorizationServer();
  const server = await protectedServer(auth);
  await signIn(server, store);
  const upstream = open(
    { type: "http", url: server.url },
    { http: { tokens: store, secrets: createLiveSecrets() } },
  );
  await names(upstream);
  auth.expire();
  return { auth, server, store, upstream };
}

/** Holds the next refresh back: resolves when it has been asked for, to what lets it be answered. */
function heldRefresh({ auth }: Scene, refuse: boolean): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  auth.behaviour.intercept = ({ path, params }, response) => {
    if (path !== "/token" || params.get("grant_type") !== "refresh_token") return false;
    delete auth.behaviour.intercept;
    const answer = refuse
      ? { error: "invalid_grant" }
      : { access_token: "late-access", token_type: "Bearer", refresh_token: "late-refresh" };
    resolve(() =>
      response
        .writeHead(refuse ? 400 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(answer)),
    );
    return true;
  };
  return promise;
}

test.each([
  ["refused", true],
  ["answered", false],
])(
  verifies("auth:refresh", "a sign-in that is made while an older one is refreshed stays: %s"),
  async (_how, refuse) => {
    const scene = await expired();
    const { server, store, upstream } = scene;
    const asked = heldRefresh(scene, refuse);
    const calling = ask(upstream, "t").catch(() => undefined);
    const answer = await asked;
    const signing = signIn(server, store);
    // The person is through with the browser, and the code was exchanged.
    await expect.poll(() => scene.auth.count("/token", "authorization_code")).toBe(2);
    answer();
    await signing;
    await calling;
    expect(await said(ask(upstream, "t"))).toBe("fine");
    const other = open(
      { type: "http", url: server.url },
      { http: { tokens: store, secrets: createLiveSecrets() } },
    );
    expect(await names(other)).toEqual(["t"]);
  },
);

test(
  verifies(
    "auth:login",
    "who signs out while a token is refreshed is signed out, and the last token revoked",
  ),
  async () => {
    const scene = await expired();
    const { auth, server, store, upstream } = scene;
    const asked = heldRefresh(scene, false);
    const calling = ask(upstream, "t").catch(() => undefined);
    const answer = await asked;
    const leaving = logout("srv", { type: "http", url: server.url }, { store });
    answer();
    expect(await leaving).toBe(true);
    await calling;
    expect(auth.asked.find(({ path }) => path === "/revoke")?.params.get("token")).toBe("late-refresh");
    const other = open(
      { type: "http", url: server.url },
      { http: { tokens: store, secrets: createLiveSecrets() } },
    );
    expect((await thrown(names(other))).message).toContain("run callgate login srv");
  },
);

test(
  verifies("auth:secret", "tokens that come and go push nothing out of what is hidden"),
  async () => {
    const auth = await authorizationServer();
    const server = await protectedServer(auth);
    const store = createMemoryTokens();
    await signIn(server, store);
    const secrets = createLiveSecrets();
    secrets.add("password-of-a-proxy");
    const upstream = open({ type: "http", url: server.url }, { http: { tokens: store, secrets } });
    for (let round = 0; round < 280; round += 1) {
      await ask(upstream, "t");
      auth.expire();
    }
    expect(secrets.values()).toEqual(
      expect.arrayContaining(["password-of-a-proxy", ...auth.given.slice(-2)]),
    );
    expect(secrets.values().length).toBeLessThan(220);
  },
  60_000,
);

test(
  verifies("auth:refresh", "a token that was refreshed and cannot be kept is used all the same"),
  async () => {
    const memory = createMemoryTokens();
    let full = false;
    const store: TokenStore = {
      ...memory,
      save: (key, value) => (full ? Promise.reject(new Error("no space left")) : memory.save(key, value)),
    };
    const { auth, upstream } = await expired(store);
    full = true;
    expect((await thrown(ask(upstream, "t"))).message).toContain("no space left");
    expect(await said(ask(upstream, "t"))).toBe("fine");
    expect(auth.count("/token", "refresh_token")).toBe(1);
  },
);
