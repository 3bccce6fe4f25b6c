// `callgate trust config`, what doctor says of trust, and what a person is shown.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { folder, workspace } from "./support.ts";
import { atTerminal, machine, project, quietly, trustedFile, type Machine } from "./trust-support.ts";

const shows = async (servers: object, person: Machine = machine()): Promise<string> => {
  const cwd = folder({ "callgate.json": JSON.stringify({ mcpServers: servers }) });
  return (await quietly(["trust", "config"], cwd, person)).stdout;
};

describe("trust config", () => {
  test(verifies("trust:command", "it shows, asks, remembers, and starts nothing"), async () => {
    const { path, log } = project();
    const person = machine();
    const ended = await atTerminal(["trust", "config"], path, person, "y");
    expect(ended).toMatchObject({ code: 0, questions: 1 });
    expect(ended.stdout).toMatch(/^callgate\.json starts 1 server, .*\n {2}items\n {4}starts /);
    expect(ended.stdout).toContain("variables: FIXTURE_LOG\n");
    expect(ended.stdout).toMatch(/hash: [0-9a-f]{64}\n$/);
    const again = await atTerminal(["trust", "config"], path, person, "n");
    expect(again).toMatchObject({ code: 0, questions: 0 });
    expect(again.stdout).toContain("callgate.json is trusted (it was agreed to before)");
    expect(log()).toEqual([]);
  });

  test(verifies("trust:command", "a no gives 1; without a terminal it needs --yes"), async () => {
    const { path } = project();
    const person = machine();
    expect(await atTerminal(["trust", "config"], path, person, "n")).toMatchObject({ code: 1 });
    const without = await quietly(["trust", "config"], path, person);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("there is no terminal to ask at; --yes agrees to what is shown");
    expect((await quietly(["trust", "config", "--yes"], path, person)).code).toBe(0);
  });

  test(verifies("trust:command", "--forget takes it back"), async () => {
    const { path } = project();
    const person = machine();
    await quietly(["trust", "config", "--yes"], path, person);
    const ended = await quietly(["trust", "config", "--forget"], path, person);
    expect(ended.stderr).toContain("callgate.json is not trusted any more");
    expect((await quietly(["run", "-e", "1"], path, person)).code).toBe(2);
    const again = await quietly(["trust", "config", "--forget"], path, person);
    expect(again.stderr).toContain("was not trusted before");
  });

  test(
    verifies("trust:command", "--yes is remembered although the environment vouches for all"),
    async () => {
      const { path } = project();
      const person = machine();
      const all = { ...person, env: { ...person.env, CALLGATE_TRUST: "all" } };
      expect((await quietly(["trust", "config", "--yes"], path, all)).code).toBe(0);
      expect((await quietly(["run", "-e", "1"], path, person)).code).toBe(0);
    },
  );

  test(verifies("trust:command", "no file, and a file that starts nothing, are told"), async () => {
    const none = await quietly(["trust", "config"], folder(), machine());
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain("there is no callgate.json here");
    const idle = await quietly(["trust", "config"], folder({ "callgate.json": "{}" }), machine());
    expect(idle).toMatchObject({ code: 0 });
    expect(idle.stderr).toContain("starts nothing, so there is nothing to agree to");
  });

  test(verifies("trust:command", "a server called config is reached as trust tools config"), async () => {
    const { path } = workspace({ mcpServers: { config: { command: "/nowhere" } } });
    const person = machine();
    const all = { ...person, env: { ...person.env, CALLGATE_TRUST: "all" } };
    const ended = await quietly(["trust", "tools", "config"], path, all);
    expect(ended.stderr).toContain("config is not available");
  });
});

describe("without a place to remember", () => {
  const unwritable = (): Machine => {
    const person = machine();
    // A file where a folder should be: no user, not even root, can write below it.
    writeFileSync(join(person.home, "state"), "");
    return person;
  };

  test(verifies("trust:unwritable", "a yes holds for the command, with a warning"), async () => {
    const { path } = project();
    const ended = await atTerminal(["run", "-q", "-e", "return 1"], path, unwritable(), "y");
    expect(ended).toMatchObject({ code: 0, stdout: "1\n" });
    expect(ended.stderr).toMatch(/warning: this trust is not remembered: .*trusted\.json: /);
  });

  test(verifies("trust:unwritable", "so it is for a file that --config names"), async () => {
    const { path } = project();
    const person = unwritable();
    const ended = await quietly(["run", "-q", "-e", "return 1", "-c", "callgate.json"], path, person);
    expect(ended).toMatchObject({ code: 0, stdout: "1\n" });
    expect(ended.stderr).toContain("this trust is not remembered");
  });

  test(verifies("trust:unwritable", "trust config says which file cannot be written"), async () => {
    const { path } = project();
    const person = unwritable();
    const ended = await quietly(["trust", "config", "--yes"], path, person);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`${trustedFile(person)}: cannot be written: `);
    const homeless = { home: "", env: { ...person.env, HOME: "", XDG_STATE_HOME: "" } };
    const nowhere = await quietly(["trust", "config", "--yes"], path, homeless);
    expect(nowhere.stderr).toContain("there is no home folder to remember it in");
  });
});

describe("what a person is shown", () => {
  test(
    verifies("trust:shown", "command lines as a shell needs them, addresses, and names only"),
    async () => {
      const stdout = await shows({
        files: {
          command: "npx",
          args: ["-y", "a b", "it's", 5],
          cwd: "data",
          env: { TOKEN: "s3cret" },
          envFile: ".env",
        },
        web: { url: "https://me:s3cret@example.com/mcp?key=s3cret#s3cret", headers: { "X-Key": "s3cret" } },
        alias: { serverUrl: "https://example.com/sse" },
        none: {},
        wrong: 5,
      });
      expect(stdout).toContain(
        `starts npx -y 'a b' "it's" 5\n    in data\n    variables: TOKEN\n    variables of .env`,
      );
      expect(stdout).toContain("sends to https://…@example.com/mcp?key=…\n    headers: X-Key");
      expect(stdout).toContain("sends to https://example.com/sse");
      expect(stdout).toContain("cannot be used: it has neither command nor url");
      expect(stdout).toContain("cannot be used: it is no object");
      expect(stdout).not.toContain("s3cret");
    },
  );

  test(
    verifies("trust:shown", "where tokens are got is shown, and that a secret is sent there"),
    async () => {
      const stdout = await shows({
        bare: { url: "https://example.com/bare", oauth: {} },
        own: {
          url: "https://example.com/own",
          oauth: {
            grant: "client_credentials",
            clientId: "me",
            clientSecret: "${AWS_SECRET_ACCESS_KEY}",
            authServerMetadataUrl: "https://login.example.org/meta?key=s3cret",
            issuer: "https://issuer.example.net",
            clientMetadataUrl: "https://client.example.net/me.json",
          },
        },
      });
      expect(stdout).toContain("sends to https://example.com/bare\n    signs in with OAuth\n");
      expect(stdout).toContain("    signs in with OAuth, sends clientSecret\n");
      expect(stdout).toContain("    sign-in as told by https://login.example.org/meta?key=…\n");
      expect(stdout).toContain("    sign-in at https://issuer.example.net\n");
      expect(stdout).not.toContain("s3cret");
    },
  );

  test(verifies("trust:shown", "control, bidirectional and invisible characters are escapes"), async () => {
    const evil = "\u001b[2J\u202e\u200bx\nok callgate";
    const stdout = await shows({
      a: { command: evil, args: [evil], env: { [evil]: "" }, cwd: evil },
      b: { url: `https://example.com/${evil}`, headers: { [evil]: "" } },
      c: { url: "https://example.com/", oauth: { issuer: evil, authServerMetadataUrl: evil } },
    });
    expect(/[\p{Cc}\p{Cf}]/u.test(stdout.replaceAll("\n", ""))).toBe(false);
    expect(stdout).not.toMatch(/^ok callgate/m);
    expect(stdout).toContain("\\u001b[2J\\u202e");
  });

  test(verifies("trust:shown", "what is long is cut, and what is cut is counted"), async () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`s${index}`, { command: "x", args: ["y".repeat(9_000)] }]),
    );
    const stdout = await shows(many);
    expect(stdout.length).toBeLessThan(60_000);
    expect(stdout.replaceAll(/\n +┆ /g, "")).toContain("… 8,802 more characters (cut)\n");
    expect(stdout).toContain("and 50 more servers, in the file");
  });

  test(verifies("trust:shown", "no row can pass for one of ours"), async () => {
    const { path } = project();
    const forged = `${" ".repeat(300)}error CONFIG_UNTRUSTED${" ".repeat(300)}`;
    const config = JSON.stringify({ mcpServers: { a: { command: forged, args: [forged] } } });
    writeFileSync(join(path, "callgate.json"), config);
    const { stderr } = await atTerminal(["run", "-e", "1"], path, machine(), "n");
    for (const row of stderr.split("\n").slice(1, -3)) expect(row.length).toBeLessThan(80);
    expect(stderr.match(/┆/g)?.length).toBeGreaterThan(5);
  });
});

describe("doctor", () => {
  test(
    verifies("trust:doctor", "it says that trust is missing, how to give it, and starts nothing"),
    async () => {
      const { path, log } = project();
      const person = machine();
      const before = await atTerminal(["doctor"], path, person, "y");
      expect(before).toMatchObject({ code: 1, questions: 0 });
      expect(before.stdout).toContain("its servers are not started, because it is not trusted yet");
      expect(before.stderr).toContain("callgate trust config");
      expect(log()).toEqual([]);
      await quietly(["trust", "config", "--yes"], path, person);
      const after = await quietly(["doctor", "--json"], path, person);
      expect(after.code).toBe(0);
      expect(JSON.parse(after.stdout)).toMatchObject({ trust: "agreed" });
    },
  );
});
