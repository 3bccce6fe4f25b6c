// Owns `callgate login` and `callgate logout`: signing in to a server of the configuration, and out again.
import { login, logout, type LoginResult, type TokenStore } from "../../index.ts";
import { openBrowser } from "../browser.ts";
import { loadConfig } from "../config/load.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../open-gate.ts";
import { dim, green } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { tokenStore } from "../token-place.ts";
import { requireTrust, type ConfigFlags } from "../trust/require.ts";
import { UsageError, withCode } from "../usage-error.ts";

export interface LoginFlags extends ConfigFlags {
  readonly scope?: readonly string[];
  /** False: the URL is only printed. */
  readonly browser?: boolean;
  /** ms. */
  readonly timeout?: number;
}

/** Resolves to 0 when the person has signed in. */
export async function loginCommand(session: Session, server: string, flags: LoginFlags): Promise<number> {
  const { world, screen, interrupt } = session;
  const { entry, store } = await entryOf(session, server, flags);
  const result = await login(server, entry, {
    store,
    env: world.env,
    signal: interrupt.signal,
    ...(flags.scope === undefined ? {} : { scopes: flags.scope }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    async open(url) {
      const wanted = flags.browser !== false && world.stderr.isTTY === true;
      const opened = wanted && (await openBrowser(url, world));
      screen.note(
        opened
          ? "a browser opens to sign in; if none does, open this:"
          : "open this in a browser to sign in:",
      );
      screen.note(visibleLine(url.href, 8_000));
      screen.note(
        dim(
          `it comes back to this machine, to ${visibleLine(url.searchParams.get("redirect_uri") ?? "", 100)}`,
        ),
      );
    },
  });
  screen.note(green(`signed in to ${visibleLine(server, 60)}`));
  screen.note(dim(description(result)));
  return EXIT.completed;
}

function description({ issuer, scopes, expiresAt, refreshable }: LoginResult): string {
  const until = expiresAt === undefined ? "" : `, until ${new Date(expiresAt).toISOString()}`;
  const lasting = refreshable ? ", renewed as needed" : until;
  const may = scopes.length === 0 ? "" : `, scopes ${visibleLine(scopes.join(" "), 400)}`;
  return `by ${visibleLine(issuer, 200)}${may}${lasting}`;
}

/** Resolves to 0, whether there was a sign-in or not. */
export async function logoutCommand(session: Session, server: string, flags: ConfigFlags): Promise<number> {
  const { world, screen, interrupt } = session;
  const { entry, store } = await entryOf(session, server, flags);
  const was = await logout(server, entry, {
    store,
    env: world.env,
    signal: interrupt.signal,
  });
  const name = visibleLine(server, 60);
  screen.note(was ? green(`signed out of ${name}`) : `there was no sign-in to ${name}`);
  return EXIT.completed;
}

async function entryOf(
  session: Session,
  server: string,
  flags: ConfigFlags,
): Promise<{ readonly entry: unknown; readonly store: TokenStore }> {
  const { world } = session;
  const loaded = await loadConfig({ cwd: world.cwd, file: flags.config }).catch((error: unknown) => {
    throw withCode(error, "CONFIG_INVALID");
  });
  const { servers } = loaded.config;
  if (!Object.hasOwn(servers, server)) {
    const names = Object.keys(servers).map((name) => visibleLine(name, 60));
    throw new UsageError(`no server ${visibleLine(server, 80)}; configured: ${names.join(", ") || "none"}`);
  }
  // Security: an entry may put variables of the environment into its URL, and so send them anywhere.
  await requireTrust(session, loaded, flags);
  const store = tokenStore(world);
  if (store === undefined) throw new UsageError("there is no home folder to keep a sign-in in");
  return { entry: servers[server], store };
}
