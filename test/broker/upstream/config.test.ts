// The `mcpServers` shape and its variables.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseServers, printingOf, type ParsedServers } from "../../../broker/upstream/config.ts";
import { expand } from "../../../broker/upstream/expand.ts";
import { CallgateError } from "../../../contract/error.ts";
import { verifies } from "../../requirements.ts";

const env = new Map([
  ["TOKEN", "s3cret-token"],
  ["EMPTY", ""],
  ["NESTED", "${TOKEN}"],
  ["HOME_DIR", "/home/me"],
]);
const parse = (servers: unknown): ParsedServers => parseServers(servers, { env });

function refusal(servers: unknown): string {
  try {
    parse(servers);
  } catch (error) {
    expect(CallgateError.is(error, "CONFIG_INVALID")).toBe(true);
    return (error as Error).message;
  }
  throw new Error("expected a refusal");
}

test(
  verifies("upstream:config-shape", "a stdio and an HTTP server are read as every host writes them"),
  () => {
    const { servers, failed, warnings } = parse({
      fs: { command: "npx", args: ["-y", "server", "/tmp"], env: { A: "1" }, cwd: "/tmp", timeout: 5_000 },
      web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
      old: { type: "sse", url: "https://example.com/sse", protocolEra: "legacy" },
    });
    expect([...servers.keys()]).toEqual(["fs", "web", "old"]);
    expect(servers.get("fs")).toEqual({
      command: "npx",
      args: ["-y", "server", "/tmp"],
      env: { A: "1" },
      cwd: "/tmp",
      timeout: 5_000,
    });
    expect(servers.get("web")).toEqual({
      type: "http",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer x" },
    });
    expect(servers.get("old")?.protocolEra).toBe("legacy");
    expect([failed.size, warnings]).toEqual([0, []]);
  },
);

test(verifies("upstream:config-shape", "spellings of other hosts are understood"), () => {
  const { servers } = parse({
    a: { serverUrl: "https://example.com/mcp" },
    b: { type: "streamable-http", url: "https://example.com/mcp" },
    c: { type: "streamableHttp", url: "https://example.com/mcp" },
    d: { type: "stdio", command: "x", env: { PORT: 3000, DEBUG: true }, args: [8080] },
  });
  expect(servers.get("a")?.url).toBe("https://example.com/mcp");
  expect(servers.get("b")?.type).toBe("streamable-http");
  expect(servers.get("c")?.type).toBe("http");
  expect(servers.get("d")).toMatchObject({ env: { PORT: "3000", DEBUG: "true" }, args: ["8080"] });
});

test(
  verifies("upstream:config-shape", "a disabled server is left out, even one that could not be used"),
  () => {
    const { servers, failed } = parse({ off: { command: "${MISSING}", disabled: true } });
    expect([servers.size, failed.size]).toEqual([0, 0]);
  },
);

test(verifies("upstream:config-shape", "an unknown key is a warning that names it, and nothing else"), () => {
  const { servers, warnings } = parse({ fs: { command: "x", autoApprove: ["a"], "co\u001bmand": 1 } });
  expect(servers.has("fs")).toBe(true);
  expect(warnings).toEqual([
    'mcpServers.fs: unknown key "autoApprove" is ignored',
    'mcpServers.fs: unknown key "co mand" is ignored',
  ]);
});

test.each<[string, unknown, RegExp]>([
  ["no object", [], /^mcpServers: expected an object of servers, got an array/],
  ["null", null, /got null/],
  ["text", "x", /got string/],
  ["an entry that is no object", { a: "npx" }, /^mcpServers\.a: /],
  ["neither command nor url", { a: {} }, /^mcpServers\.a: needs a command or a url/],
  ["both", { a: { command: "x", url: "https://example.com" } }, /has both command and url/],
  ["a wrong argument", { a: { command: "x", args: ["ok", {}] } }, /^mcpServers\.a\.args\[1\]: /],
  ["a wrong variable", { a: { command: "x", env: { K: [] } } }, /^mcpServers\.a\.env\.K: /],
  ["a wrong time", { a: { command: "x", timeout: -1 } }, /^mcpServers\.a\.timeout: /],
  ["a wrong era", { a: { command: "x", protocolEra: "future" } }, /^mcpServers\.a\.protocolEra: /],
  [
    "a type without its part",
    { a: { type: "http", command: "x" } },
    /^mcpServers\.a\.type: "http" needs a url/,
  ],
  ["stdio without command", { a: { type: "stdio", url: "https://x.example" } }, /"stdio" needs a command/],
  ["an empty name", { "": { command: "x" } }, /a server name has 1 to 128 printable characters/],
  ["a name with control characters", { "a\u001b[2J": { command: "x" } }, /printable characters/],
])(verifies("upstream:config-shape", "a wrong entry is named by its path: %s"), (_name, servers, message) => {
  expect(refusal(servers)).toMatch(message);
});

test.each<[unknown, string]>([
  ["npx", "mcpServers.a: expected an object, got a text"],
  [{ command: 5 }, "mcpServers.a.command: expected a text, got 5"],
  [{ command: "" }, "mcpServers.a.command: expected a text that is not empty"],
  [{ command: "x", args: "y" }, "mcpServers.a.args: expected a list, got a text"],
  [
    { command: "x", args: [{}] },
    "mcpServers.a.args[0]: expected a text, a number, true or false, got an object",
  ],
  [{ command: "x", disabled: "no" }, "mcpServers.a.disabled: expected true or false, got a text"],
  [{ command: "x", timeout: 0 }, "mcpServers.a.timeout: expected a number that is at least 1"],
  [{ command: "x", timeout: 1.5 }, "mcpServers.a.timeout: expected a whole number, got 1.5"],
  [
    { command: "x", rateLimit: { calls: 1 } },
    "mcpServers.a.rateLimit.perMs: expected a number; it is missing",
  ],
  [{ command: "x", protocolEra: "old" }, 'mcpServers.a.protocolEra: expected "auto" or "legacy" or "modern"'],
])(verifies("upstream:config-shape", "%j is refused in our own words"), (entry, message) => {
  expect(refusal({ a: entry })).toBe(message);
});

test(
  verifies("upstream:config-shape", "no entry, however wrong, fails otherwise than as CONFIG_INVALID"),
  () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({ command: fc.jsonValue(), args: fc.jsonValue(), url: fc.jsonValue() }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), entry), (servers) => {
        try {
          parse(servers);
        } catch (error) {
          expect(CallgateError.is(error, "CONFIG_INVALID")).toBe(true);
        }
      }),
    );
  },
);

test.each<[string, Record<string, unknown>, RegExp]>([
  ["oauth of a command", { command: "x", oauth: {} }, /oauth: only for servers with a url/],
  [
    "oauth of another kind",
    { url: "https://example.com", oauth: { callbackPort: "8080", other: 1 } },
    /oauth\.callbackPort: /,
  ],
  [
    "oauth beside a token",
    { url: "https://example.com", oauth: {}, headers: { authorization: "Bearer x" } },
    /oauth and headers.Authorization exclude each other/,
  ],
  [
    "client credentials without a secret",
    { url: "https://example.com", oauth: { grant: "client_credentials", clientId: "x" } },
    /client_credentials needs clientSecret or privateKey/,
  ],
  [
    "an issuer over http",
    { url: "https://example.com", oauth: { issuer: "http://example.com" } },
    /oauth.issuer: expected an https:\/\/ URL/,
  ],
  ["no URL", { url: "not a url" }, /url: expected an http:\/\/ or https:\/\/ URL/],
  ["another protocol", { url: "unix:///run/x.sock" }, /expected an http/],
  ["credentials in the URL", { url: "https://me:pw@example.com" }, /put credentials into headers/],
  [
    "a header with a line break",
    { url: "https://example.com", headers: { A: "x\r\nB: y" } },
    /headers\.A: not a valid/,
  ],
  ["a NUL character", { command: "x", args: ["a\0b"] }, /NUL/],
])(verifies("upstream:config-variables", "an unusable server fails alone: %s"), (_name, entry, why) => {
  const { servers, failed } = parse({ bad: entry, good: { command: "x" } });
  expect([...servers.keys()]).toEqual(["good"]);
  expect(failed.get("bad")).toMatch(why);
});

test(
  verifies("upstream:config-variables", "the three forms are expanded in every field that may hold them"),
  () => {
    const { servers } = parse({
      a: {
        command: "${HOME_DIR}/bin/x",
        args: ["--token=${TOKEN}", "${env:TOKEN}", "${MISSING:-plain}", "${EMPTY:-empty}", "${MISSING:-}"],
        env: { T: "${TOKEN}" },
        cwd: "${HOME_DIR}",
      },
      b: { url: "https://example.com/${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}" } },
    });
    expect(servers.get("a")).toEqual({
      command: "/home/me/bin/x",
      args: ["--token=s3cret-token", "s3cret-token", "plain", "empty", ""],
      env: { T: "s3cret-token" },
      cwd: "/home/me",
    });
    expect(servers.get("b")).toMatchObject({
      url: "https://example.com/s3cret-token",
      headers: { Authorization: "Bearer s3cret-token" },
    });
  },
);

test(verifies("upstream:config-variables", "what a variable holds is not expanded again"), () => {
  expect(parse({ a: { command: "x", args: ["${NESTED}"] } }).servers.get("a")?.args).toEqual(["${TOKEN}"]);
});

test(verifies("upstream:config-variables", "a dollar sign alone is a dollar sign"), () => {
  const args = ["$TOKEN", "$", "$$", "{TOKEN}", "${", "100$}"];
  expect(parse({ a: { command: "x", args } }).servers.get("a")?.args).toEqual(args);
});

test.each([
  [
    "${MISSING}",
    /args\[0\]: environment variable MISSING is not set; set it or write \$\{MISSING:-default\}/,
  ],
  ["${env:MISSING}", /environment variable MISSING is not set/],
  ["${input:api-key}", /asks the editor for a value/],
  ["${workspaceFolder}/x", /environment variable workspaceFolder is not set/],
  ["${}", /is not a variable/],
  ["${A B}", /is not a variable/],
  ["${constructor}", /environment variable constructor is not set/],
])(
  verifies("upstream:config-variables", "an unset or unknown variable fails its server alone: %s"),
  (text, why) => {
    for (const environment of [env, { TOKEN: "x" }]) {
      const servers = { bad: { command: "x", args: [text] }, good: { command: "x" } };
      const parsed = parseServers(servers, { env: environment });
      expect([...parsed.servers.keys()]).toEqual(["good"]);
      expect(parsed.failed.get("bad")).toMatch(why);
    }
  },
);

test(verifies("upstream:messages", "no message about a configuration holds what a variable held"), () => {
  const { failed } = parse({
    a: { command: "${TOKEN}", args: ["${MISSING}"] },
    b: { url: "${TOKEN}" },
    c: { url: "https://example.com", headers: { A: "${TOKEN}\nB: c" } },
    d: { url: "https://x:${TOKEN}@example.com" },
  });
  expect(failed.size).toBe(4);
  for (const why of failed.values()) expect(why).not.toContain("s3cret");
});

test(
  verifies("upstream:messages", "a server is labelled by its command as written, and its secrets are known"),
  () => {
    const { servers } = parse({
      a: { command: "${HOME_DIR}/x", args: ["${TOKEN}"] },
      b: { url: "https://example.com/mcp?key=${TOKEN}", headers: { "X-Key": "another-secret" } },
    });
    const [a, b] = ["a", "b"].map((name) => printingOf(servers.get(name) ?? {}));
    expect(a?.label).toBe("${HOME_DIR}/x");
    expect(a?.secrets).toContain("s3cret-token");
    expect(b?.label).toBe("https://example.com/mcp");
    expect(b?.secrets).toEqual(expect.arrayContaining(["s3cret-token", "another-secret"]));
    const literal = parse({ c: { command: "x", env: { API_KEY: "literal-key", NODE_ENV: "production" } } });
    expect(printingOf(literal.servers.get("c") ?? {}).secrets).toEqual(["literal-key"]);
    expect(printingOf({ url: "https://example.com/x?key=1", headers: { A: "v" } })).toEqual({
      label: "https://example.com/x",
      secrets: ["v"],
    });
  },
);

test(verifies("upstream:config-variables", "text without references is never changed"), () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes("${"));
      expect(expand(text, env)).toEqual({ text, used: [] });
    }),
  );
});

test(verifies("upstream:config-variables", "a value is inserted as it is, whatever it holds"), () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (before, after, value) => {
      fc.pre(!`${before}${after}`.includes("$") && !`${before}${after}`.includes("}"));
      const expansion = expand(`${before}\${X}${after}`, { X: value });
      expect(expansion).toEqual({ text: `${before}${value}${after}`, used: [value] });
    }),
  );
});
