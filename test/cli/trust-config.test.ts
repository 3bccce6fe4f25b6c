// Trust in configurations: what may start before anybody was asked, who is asked, and what is remembered.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { callgate, fixtureServer, folder } from "./support.ts";
import { atTerminal, machine, project, quietly, trustedFile, type Config } from "./trust-support.ts";

const RUN = ["run", "-q", "-e", "return 'ran'"];
const items = (config: Config): Record<string, unknown> =>
  config.mcpServers["items"] as Record<string, unknown>;

describe("a configuration that was found", () => {
  test(
    verifies(
      "trust:first",
      "without a terminal it starts nothing, and CONFIG_UNTRUSTED tells what it would start",
    ),
    async () => {
      const { path, log } = project();
      const { env } = machine();
      const ended = await callgate(RUN, { cwd: path, env });
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(/^error CONFIG_UNTRUSTED: callgate\.json starts 1 server, and nobody has/);
      expect(ended.stderr).toContain(`starts ${process.execPath} ${fixtureServer}`);
      expect(ended.stderr).toContain("to agree: callgate trust config   (in CI: --trust-config)");
      expect(log()).toEqual([]);
    },
  );

  test.each([
    [["check", "-e", "1"]],
    [["types"]],
    [["tools"]],
    [["tools", "search", "x"]],
    [["tools", "show", "x"]],
    [["policy", "check"]],
    [["policy", "explain", "items.read_item"]],
    [["serve"]],
    [["trust"]],
  ])(verifies("trust:first", "%j starts nothing either"), async (args) => {
    const { path, log } = project();
    const ended = await quietly(args, path, machine());
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("CONFIG_UNTRUSTED");
    expect(log()).toEqual([]);
  });

  test(verifies("trust:first", "a yes at the terminal starts it, and it is not asked again"), async () => {
    const { path, log } = project();
    const person = machine();
    const first = await atTerminal(RUN, path, person, "y");
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: "ran\n", questions: 1 });
    expect(log().length).toBeGreaterThan(0);
    const second = await atTerminal(RUN, path, person, "n");
    expect(second, second.stderr).toMatchObject({ code: 0, questions: 0 });
    expect(await callgate(RUN, { cwd: path, env: person.env })).toMatchObject({ code: 0, stderr: "" });
  });

  test.each(["n", "", "yes please", "N"])(
    verifies("trust:first", "the answer %j is a no: nothing starts and nothing is remembered"),
    async (answer) => {
      const { path, log } = project();
      const person = machine();
      const ended = await atTerminal(RUN, path, person, answer);
      expect(ended).toMatchObject({ code: 2, stdout: "", questions: 1 });
      expect(log()).toEqual([]);
      expect((await atTerminal(RUN, path, person, "n")).questions).toBe(1);
    },
  );

  test(
    verifies("trust:first", "one without servers needs no trust: init, then run, asks nothing"),
    async () => {
      const cwd = folder();
      const person = machine();
      expect((await quietly(["init"], cwd, person)).code).toBe(0);
      expect(await quietly(RUN, cwd, person)).toMatchObject({ code: 0, stdout: "ran\n" });
    },
  );

  test(verifies("trust:first", "a server that is disabled needs no trust"), async () => {
    const { path, edit } = project();
    edit((config) => (items(config)["disabled"] = true));
    expect(await quietly(RUN, path, machine())).toMatchObject({ code: 0, stdout: "ran\n" });
  });
});

describe("a file that --config names", () => {
  test(
    verifies(
      "trust:named",
      "without a terminal it is agreed to as it is, told once, and refused when changed",
    ),
    async () => {
      const { path, edit } = project();
      const { env } = machine();
      const args = [...RUN, "--config", join(path, "callgate.json")];
      const first = await callgate(args, { env });
      expect(first).toMatchObject({ code: 0, stdout: "ran\n" });
      expect(first.stderr).toContain("is trusted as it is now, since --config names it; it starts items\n");
      expect(await callgate(args, { env })).toMatchObject({ code: 0, stderr: "" });
      edit((config) => (items(config)["env"] = { NEW: "1" }));
      const changed = await callgate(args, { env });
      expect(changed).toMatchObject({ code: 2, stdout: "" });
      expect(changed.stderr).toContain("has changed since that was agreed to");
      expect(changed.stderr).toContain(`callgate trust config --config ${join(path, "callgate.json")}`);
    },
  );

  test(verifies("trust:named", "at a terminal it is asked about like any other"), async () => {
    const { path, log } = project();
    const ended = await atTerminal([...RUN, "-c", "callgate.json"], path, machine(), "n");
    expect(ended).toMatchObject({ code: 2, questions: 1 });
    expect(log()).toEqual([]);
  });

  test(verifies("trust:store", "two commands at once both start, and both are remembered"), async () => {
    const person = machine();
    const projects = [project(), project(), project()];
    const named = projects.map(({ path }) =>
      callgate([...RUN, "-c", "callgate.json"], { cwd: path, env: person.env }),
    );
    for (const { code, stderr } of await Promise.all(named)) expect(code, stderr).toBe(0);
    for (const { path } of projects)
      expect(await quietly(["doctor"], path, person)).toMatchObject({ code: 0 });
  });
});

describe("what is remembered", () => {
  test.each<readonly [string, (config: Config) => void]>([
    ["the command", (config) => (items(config)["command"] = "other")],
    ["an argument", (config) => (items(config)["args"] = ["other"])],
    ["a variable", (config) => (items(config)["env"] = { A: "other" })],
    ["the folder", (config) => (items(config)["cwd"] = "..")],
    ["a key we do not know", (config) => (items(config)["sandbox"] = false)],
    ["a new server", (config) => (config.mcpServers["new"] = { url: "http://127.0.0.1:1/mcp" })],
    ["a server's name", (config) => (config.mcpServers = { other: items(config) })],
    ["an address", (config) => (config.mcpServers["web"] = { url: "http://127.0.0.1:2/" })],
    ["a header", (config) => Object.assign(config.mcpServers["web"] ?? {}, { headers: { A: "2" } })],
    ["a server that was disabled", (config) => delete config.mcpServers["off"]?.["disabled"]],
  ])(verifies("trust:changed", "%s that changes asks again"), async (_, change) => {
    const { path, edit } = project();
    const person = machine();
    edit((config) => {
      config.mcpServers["web"] = { url: "http://127.0.0.1:1/", headers: { A: "1" } };
      config.mcpServers["off"] = { command: "off", disabled: true };
    });
    expect((await quietly(["trust", "config", "--yes"], path, person)).code).toBe(0);
    edit(change);
    const ended = await quietly(RUN, path, person);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("has changed since that was agreed to");
  });

  test(verifies("trust:changed", "a line of an envFile that changes asks again"), async () => {
    const { path, edit } = project();
    const person = machine();
    writeFileSync(join(path, "vars"), "A=1");
    edit((config) => (items(config)["envFile"] = "vars"));
    await quietly(["trust", "config", "--yes"], path, person);
    expect((await quietly(RUN, path, person)).code).toBe(0);
    writeFileSync(join(path, "vars"), "NODE_OPTIONS=--require=./evil.cjs");
    expect((await quietly(RUN, path, person)).code).toBe(2);
  });

  test(
    verifies("trust:changed", "comments, order, the policy, a time-out and a disabled server ask nothing"),
    async () => {
      const { path } = project();
      const person = machine();
      await quietly(["trust", "config", "--yes"], path, person);
      const file = join(path, "callgate.json");
      const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as Config;
      const { command, args, env } = items({ mcpServers });
      const reordered = { timeout: 9_000, concurrency: 2, env, args, command, disabled: false };
      const whole = { policy: {}, servers: { off: { command: "x", disabled: true }, items: reordered } };
      writeFileSync(file, `// a comment\n${JSON.stringify(whole, null, 4)}`);
      const ended = await quietly(RUN, path, person);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
    },
  );

  test(
    verifies("trust:remembered", "a version that was agreed to before is agreed to when it comes back"),
    async () => {
      const { path, edit } = project();
      const person = machine();
      await quietly(["trust", "config", "--yes"], path, person);
      edit((config) => (items(config)["env"] = { BRANCH: "1" }));
      await quietly(["trust", "config", "--yes"], path, person);
      edit((config) => delete items(config)["env"]);
      edit((config) => (items(config)["env"] = { BRANCH: "1" }));
      expect((await quietly(RUN, path, person)).code).toBe(0);
    },
  );

  test(
    verifies("trust:remembered", "a folder behind a link is the folder; a link to the file is not"),
    async () => {
      const { path } = project();
      const person = machine();
      await quietly(["trust", "config", "--yes"], path, person);
      const elsewhere = folder();
      symlinkSync(path, join(elsewhere, "link"));
      expect((await quietly(RUN, join(elsewhere, "link"), person)).code).toBe(0);
      // Security: relative commands would be those of the other folder.
      mkdirSync(join(elsewhere, "evil"));
      symlinkSync(join(path, "callgate.json"), join(elsewhere, "evil", "callgate.json"));
      expect((await quietly(RUN, join(elsewhere, "evil"), person)).code).toBe(2);
    },
  );

  test(verifies("trust:remembered", "a copy of the project is another project"), async () => {
    const { path } = project();
    const person = machine();
    await quietly(["trust", "config", "--yes"], path, person);
    const copy = folder({ "callgate.json": readFileSync(join(path, "callgate.json")) });
    expect((await quietly(RUN, copy, person)).code).toBe(2);
  });
});

describe("vouching", () => {
  test(verifies("trust:vouched", "--trust-config starts it, once"), async () => {
    const { path } = project();
    const person = machine();
    const ended = await callgate([...RUN, "--trust-config"], { cwd: path, env: person.env });
    expect(ended).toMatchObject({ code: 0, stdout: "ran\n", stderr: "" });
    expect((await quietly(RUN, path, person)).code).toBe(2);
    expect(() => readFileSync(trustedFile(person))).toThrow("ENOENT");
  });

  test(verifies("trust:vouched", "CALLGATE_TRUST holds the hash that trust config shows"), async () => {
    const { path, edit } = project();
    const person = machine();
    const shown = await quietly(["trust", "config", "--json"], path, person);
    expect(shown.code).toBe(1);
    const { sha256 } = JSON.parse(shown.stdout) as { sha256: string };
    const vouching = { ...person, env: { ...person.env, CALLGATE_TRUST: `${"0".repeat(64)},${sha256}` } };
    expect((await quietly(RUN, path, vouching)).code).toBe(0);
    edit((config) => (items(config)["env"] = { A: "2" }));
    expect((await quietly(RUN, path, vouching)).code).toBe(2);
  });

  test.each(["1", "true", "abc", `${"0".repeat(64)},x`])(
    verifies("trust:vouched", "CALLGATE_TRUST=%s is a mistake, and told"),
    async (written) => {
      const { path } = project();
      const person = machine();
      const ended = await quietly(RUN, path, { ...person, env: { ...person.env, CALLGATE_TRUST: written } });
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain("CALLGATE_TRUST: expected the hash");
    },
  );
});
