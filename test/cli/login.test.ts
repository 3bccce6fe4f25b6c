// Signing in by the command line: where tokens are kept, what is printed, and what never is.
import {
  mkdirSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agree, authorizationServer, protectedServer } from "../broker/upstream/oauth-support.ts";
import { verifies } from "../requirements.ts";
import { inside } from "./inside.ts";
import { folder, start, type Started } from "./support.ts";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly kept: string;
}

function place(url: string): Place {
  const config = { mcpServers: { srv: { type: "http", url } }, policy: { default: "allow" } };
  const cwd = folder({ "callgate.json": JSON.stringify(config) });
  const state = folder();
  return {
    cwd,
    env: { XDG_STATE_HOME: state, DISPLAY: "", CALLGATE_TRUST: "all" },
    kept: join(state, "callgate", "sign-ins"),
  };
}

/** Opens the URL that was printed, as a person would. */
async function visit(started: Started, text: () => string): Promise<void> {
  await started.said("it comes back to this machine");
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\/authorize\S+/.exec(text()) ?? [];
  await agree(new URL(url));
}

async function signedIn(
  at: Place,
  ...flags: readonly string[]
): Promise<{ code: number | null; stderr: string }> {
  const started = start(["login", "srv", ...flags], at);
  let text = "";
  started.child.stderr?.on("data", (chunk: string) => (text += chunk));
  await visit(started, () => text);
  return started.ended;
}

test(
  verifies("auth:command", "login prints a URL, waits for the person, and runs work from then on"),
  async () => {
    const auth = await authorizationServer();
    const at = place((await protectedServer(auth)).url);
    const before = await start(["run", "-e", "return (await srv.t({})).content"], at).ended;
    expect(before.code).not.toBe(0);
    expect(before.stderr).toContain("run callgate login srv");
    const login = await signedIn(at);
    expect(login).toMatchObject({ code: 0 });
    expect(login.stderr).toContain("signed in to srv");
    const run = await start(["run", "-e", "return await srv.t({})", "--json"], at).ended;
    expect(run.code).toBe(0);
    const doctor = await start(["doctor"], at).ended;
    expect(doctor.stdout).toMatch(/server srv: ready.*, signed in/);
    for (const text of auth.given) {
      for (const said of [login.stderr, run.stdout, run.stderr, doctor.stdout])
        expect(said).not.toContain(text);
    }
  },
);

test(
  verifies("auth:store", "sign-ins are files that nobody else can read, and are not used when others can"),
  async () => {
    const auth = await authorizationServer();
    const at = place((await protectedServer(auth)).url);
    expect(await signedIn(at)).toMatchObject({ code: 0 });
    expect(statSync(at.kept).mode & 0o777).toBe(0o700);
    const [name = ""] = readdirSync(at.kept).filter((one) => one.endsWith(".json"));
    const path = join(at.kept, name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain("access-");
    chmodSync(path, 0o644);
    const run = await start(["run", "-e", "return await srv.t({})"], at).ended;
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(/can be read or written by others; run chmod 600/);
    expect(auth.count("/token")).toBe(1);
  },
);

test(verifies("auth:store", "a folder that others can look into is not used"), async () => {
  const auth = await authorizationServer();
  const at = place((await protectedServer(auth)).url);
  mkdirSync(at.kept, { recursive: true });
  chmodSync(at.kept, 0o755);
  const login = await start(["login", "srv"], at).ended;
  expect(login.code).toBe(2);
  expect(login.stderr).toMatch(/run chmod 700/);
});

test(verifies("auth:command", "logout forgets the sign-in and revokes it"), async () => {
  const auth = await authorizationServer();
  const at = place((await protectedServer(auth)).url);
  await signedIn(at);
  const out = await start(["logout", "srv"], at).ended;
  expect(out).toMatchObject({ code: 0 });
  expect(out.stderr).toContain("signed out of srv");
  expect(readdirSync(at.kept).filter((one) => one.endsWith(".json"))).toEqual([]);
  expect(auth.count("/revoke")).toBe(1);
  const again = await start(["logout", "srv"], at).ended;
  expect(again.stderr).toContain("there was no sign-in");
});

test(
  verifies("auth:command", "nobody who signs in: login gives up, and a name that is none is named"),
  async () => {
    const auth = await authorizationServer();
    const at = place((await protectedServer(auth)).url);
    const late = await start(["login", "srv", "--timeout", "1"], at).ended;
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("nobody signed in within 1 s");
    const unknown = await start(["login", "other"], at).ended;
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("no server other; configured: srv");
  },
);

test.skipIf(process.platform !== "linux")(
  verifies(
    "auth:command",
    "at a terminal the browser is opened, with the URL as one argument and without a shell",
  ),
  async () => {
    const auth = await authorizationServer();
    const at = place((await protectedServer(auth)).url);
    const bin = folder();
    // A browser that follows redirects.
    const browser = `#!${process.execPath}\nfetch(process.argv[2]).then(() => require("node:fs").writeFileSync(${JSON.stringify(join(bin, "seen"))}, JSON.stringify(process.argv.slice(2))));\n`;
    writeFileSync(join(bin, "xdg-open"), browser, { mode: 0o755 });
    const env = { ...at.env, PATH: bin, DISPLAY: ":1" };
    const login = inside(["login", "srv"], { cwd: at.cwd, env, tty: true });
    expect(await login.code).toBe(0);
    expect(login.stderr()).toContain("a browser opens to sign in");
    await expect.poll(() => existsSync(join(bin, "seen")), { timeout: 20_000 }).toBe(true);
    const [url, ...rest] = JSON.parse(readFileSync(join(bin, "seen"), "utf8")) as string[];
    expect(rest).toEqual([]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?/);
  },
);
