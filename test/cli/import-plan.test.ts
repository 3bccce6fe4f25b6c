// What becomes of a server on its way here: names, secrets, paths, reasons.
import { expect, test } from "vitest";
import type { Found } from "../../cli/import/find.ts";
import { planOf, type Planned } from "../../cli/import/plan.ts";
import { withoutSecrets } from "../../cli/import/secrets.ts";
import { verifies } from "../requirements.ts";

const HOME = "/home/me";
const found = (entry: unknown, rest: Partial<Found> = {}): Found => ({
  host: "cursor",
  file: "/home/me/.cursor/mcp.json",
  name: "a",
  entry,
  folder: HOME,
  isProject: false,
  ...rest,
});
const plan = (
  list: readonly Found[],
  options: { readonly existing?: Record<string, unknown>; readonly withSecrets?: boolean } = {},
): readonly Planned[] =>
  planOf(list, {
    existing: options.existing ?? {},
    target: "/p",
    machine: { platform: "linux", home: HOME, env: {} },
    withSecrets: options.withSecrets === true,
  });
const only = (entry: unknown, rest: Partial<Found> = {}): Planned => plan([found(entry, rest)])[0] as Planned;

test(verifies("import:merged", "the same server of two hosts is one, however it is spelled"), () => {
  const planned = plan([
    found({ command: "x", args: ["1"], env: { B: "2", A: "1" }, type: "stdio" }),
    found({ env: { A: "1", B: "2" }, args: ["1"], command: "x", timeout: 5 }, { name: "b", host: "vscode" }),
    found({ url: "https://example.com/mcp", headers: {} }, { name: "c" }),
    found({ serverUrl: "https://example.com/mcp" }, { name: "d", host: "windsurf" }),
  ]);
  expect(planned.map(({ action, name }) => `${action} ${name}`)).toEqual([
    "add a",
    "same a",
    "add c",
    "same c",
  ]);
});

test(verifies("import:merged", "another server of the same name gets the name of its host"), () => {
  const planned = plan(
    [
      found({ command: "1" }),
      found({ command: "2" }, { host: "vscode" }),
      found({ command: "3" }, { host: "vscode" }),
      found({ command: "4" }, { name: "A", host: "windsurf" }),
    ],
    { existing: { a: { command: "0" } } },
  );
  expect(planned.map(({ name }) => name)).toEqual(["a_cursor", "a_vscode", "a_vscode_2", "A_windsurf"]);
});

test(verifies("import:merged", "an import that is repeated adds nothing, replaced secrets included"), () => {
  const entry = { command: "x", env: { API_TOKEN: "s3cret-s3cret" } };
  const [first] = plan([found(entry)]);
  const [again] = plan([found(entry)], { existing: { a: first?.entry } });
  expect(again?.action).toBe("same");
});

test.each([
  ["no object", 5, "it is no object"],
  ["neither command nor url", { type: "http" }, "it has neither command nor url"],
  ["both", { command: "x", url: "https://x" }, "it has both command and url"],
  ["disabled", { command: "x", disabled: true }, "it is disabled there"],
  ["a list of objects as args", { command: "x", args: [{}] }, "args is no list of texts"],
  ["a text as args", { command: "x", args: "a b" }, "args is no list of texts"],
  ["a list as env", { command: "x", env: ["A=1"] }, "env is no object of texts"],
  ["a number as cwd", { command: "x", cwd: 5 }, "cwd is no text"],
  [
    "a command of the editor",
    { command: "x", args: ["${command:pick}"] },
    "${command:pick} is not known here",
  ],
  ["the file that is open", { command: "${file}" }, "${file} is not known here"],
  ["Callgate", { command: "npx", args: ["-y", "callgate", "serve", "-c", "x"] }, "it is Callgate itself"],
  ["Callgate installed", { command: "/usr/bin/callgate", args: ["serve"] }, "it is Callgate itself"],
])(verifies("import:unusable", "%s is left out, and why is said"), (_, entry, reason) => {
  expect(only(entry)).toMatchObject({ action: "unusable", reason, entry: undefined });
});

test.each(["", "x".repeat(129), "a\u001b[2J", "a\nb"])(
  verifies("import:unusable", "the name %j is left out"),
  (name) => {
    expect(only({ command: "x" }, { name })).toMatchObject({ action: "unusable" });
  },
);

test(verifies("import:unusable", "a name like those of objects is a name like any other"), () => {
  for (const name of ["__proto__", "constructor", "toString"])
    expect(only({ command: "x" }, { name })).toMatchObject({ action: "add", name });
});

test(verifies("import:unusable", "keys that mean nothing here are left out, and named"), () => {
  const { entry, notes } = only({
    command: "x",
    autoApprove: ["y"],
    type: "http",
    timeout: 0,
    gallery: true,
  });
  expect(entry).toEqual({ command: "x" });
  expect(notes).toEqual(["left out: autoApprove, gallery"]);
});

test(verifies("import:merged", "folders of the editor and relative paths lead where they led there"), () => {
  const { entry } = only(
    {
      command: "./run",
      args: ["${workspaceFolder}/s.js", "${userHome}${pathSeparator}x", "./as-it-is"],
      cwd: "data",
      envFile: ".env",
      env: { A: "${env:PATH}" },
    },
    { folder: "/w" },
  );
  expect(entry).toEqual({
    command: "/w/run",
    args: ["/w/s.js", "/home/me/x", "./as-it-is"],
    cwd: "/w/data",
    envFile: "/w/.env",
    env: { A: "${env:PATH}" },
  });
  expect(only({ command: "./run", cwd: "data" }, { folder: "/p" }).entry).toEqual({
    command: "./run",
    cwd: "data",
  });
});

test(verifies("import:secrets", "what an editor asks for becomes a variable"), () => {
  const { entry, variables } = only({
    url: "https://x",
    headers: { Authorization: "Bearer ${input:api-key}" },
  });
  expect(entry).toEqual({ url: "https://x", headers: { Authorization: "Bearer ${API_KEY}" } });
  expect(variables).toEqual(["API_KEY"]);
});

test.each<readonly [string, object, object, readonly string[]]>([
  [
    "variables named like secrets",
    {
      env: {
        GITHUB_TOKEN: "abc123xyz",
        DEBUG: "true",
        AUTH_ENABLED: "true",
        TOKEN_PATH: "/x",
        MAX_TOKENS: "4096",
      },
    },
    {
      env: {
        GITHUB_TOKEN: "${GITHUB_TOKEN}",
        DEBUG: "true",
        AUTH_ENABLED: "true",
        TOKEN_PATH: "/x",
        MAX_TOKENS: "4096",
      },
    },
    ["GITHUB_TOKEN"],
  ],
  [
    "values shaped like credentials",
    { env: { X: `ghp_${"a".repeat(36)}`, DB: "postgres://me:pw@db/x", URL: "https://example.com/a:b@c" } },
    { env: { X: "${X}", DB: "${DB}", URL: "https://example.com/a:b@c" } },
    ["X", "DB"],
  ],
  [
    "headers",
    { headers: { Authorization: "Bearer abc", "X-Api-Key": "k", Cookie: "c=1", Accept: "text/html" } },
    {
      headers: {
        Authorization: "Bearer ${MY_SRV_AUTHORIZATION}",
        "X-Api-Key": "${MY_SRV_X_API_KEY}",
        Cookie: "${MY_SRV_COOKIE}",
        Accept: "text/html",
      },
    },
    ["MY_SRV_AUTHORIZATION", "MY_SRV_X_API_KEY", "MY_SRV_COOKIE"],
  ],
  [
    "arguments",
    {
      args: [
        "--api-key",
        "abc",
        "--token=abcd",
        "--header",
        "Authorization: Bearer xyz",
        "--port",
        "80",
        `sk-${"a".repeat(20)}`,
      ],
    },
    {
      args: [
        "--api-key",
        "${MY_SRV_API_KEY}",
        "--token=${MY_SRV_TOKEN}",
        "--header",
        "Authorization: Bearer ${MY_SRV_AUTHORIZATION}",
        "--port",
        "80",
        "${MY_SRV_SECRET}",
      ],
    },
    ["MY_SRV_API_KEY", "MY_SRV_TOKEN", "MY_SRV_AUTHORIZATION", "MY_SRV_SECRET"],
  ],
  [
    "queries of addresses",
    { url: "https://example.com/mcp?api_key=abc&page=1#x" },
    { url: "https://example.com/mcp?api_key=${MY_SRV_API_KEY}&page=1#x" },
    ["MY_SRV_API_KEY"],
  ],
  [
    "variables that stand there already: nothing",
    { env: { TOKEN: "${TOKEN}" }, headers: { Authorization: "Bearer ${env:T}" }, args: ["--token", "${T}"] },
    { env: { TOKEN: "${TOKEN}" }, headers: { Authorization: "Bearer ${env:T}" }, args: ["--token", "${T}"] },
    [],
  ],
])(verifies("import:secrets", "replaced are %s"), (_, entry, freed, variables) => {
  const outcome = withoutSecrets("my-srv", entry as Record<string, unknown>, new Map());
  expect(outcome.entry).toEqual(freed);
  expect([...outcome.variables.keys()]).toEqual(variables);
});

test(
  verifies(
    ["import:merged", "import:secrets"],
    "of oauth what means the same here is kept, its secret is not",
  ),
  () => {
    const oauth = { clientId: "c", clientSecret: "s3cret", scopes: "a b", callbackPort: 0, xaa: true };
    const { entry, variables, notes } = only({ url: "https://x", oauth });
    expect(entry).toEqual({
      url: "https://x",
      oauth: { clientId: "c", clientSecret: "${A_CLIENT_SECRET}", scopes: "a b" },
    });
    expect(variables).toEqual(["A_CLIENT_SECRET"]);
    expect(notes).toEqual(["left out: oauth.callbackPort, oauth.xaa"]);
    expect(only({ command: "x", oauth: "yes" }).entry).toEqual({ command: "x" });
  },
);

test(verifies("import:secrets", "two servers with one variable and two secrets get two variables"), () => {
  const planned = plan([
    found({ command: "1", env: { TOKEN: "first-secret" } }, { name: "one" }),
    found({ command: "2", env: { TOKEN: "first-secret" } }, { name: "two" }),
    found({ command: "3", env: { TOKEN: "other-secret" } }, { name: "three" }),
  ]);
  expect(planned.map(({ variables }) => variables)).toEqual([["TOKEN"], ["TOKEN"], ["THREE_TOKEN"]]);
});

test(verifies("import:secrets", "--with-secrets keeps them in the entry, and out of what is shown"), () => {
  const [one] = plan([found({ command: "x", args: ["--token=s3cret-s3cret"] })], { withSecrets: true });
  expect(one?.entry).toEqual({ command: "x", args: ["--token=s3cret-s3cret"] });
  expect(JSON.stringify(one?.shown)).not.toContain("s3cret-s3cret");
  expect(one?.variables).toEqual([]);
});

test.each([
  "a.".repeat(500_000),
  "sk-".repeat(300_000),
  "a://b:".repeat(150_000),
  `${" ".repeat(1_000_000)}x`,
])(
  verifies("import:hostile", "a text of a megabyte is looked at in no time: case %#"),
  (text) => {
    const [one] = plan([found({ command: "x", args: [text], env: { A: text } })]);
    expect(one?.action).toBe("add");
  },
  20_000,
);
