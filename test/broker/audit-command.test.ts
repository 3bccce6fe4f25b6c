// `callgate audit` and `callgate trust`, and the keys of callgate.json behind them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeInput, inside } from "../cli/inside.ts";
import { folder, start, workspace } from "../cli/support.ts";
import { verifies } from "../requirements.ts";
import { entriesOf, linesOf } from "./audit-support.ts";

const fixture = new URL("../fixtures/servers/raw.mjs", import.meta.url).pathname;
const object = { type: "object" } as const;
const echo = { name: "echo", description: "Echoes.", inputSchema: object };
const other = { ...echo, description: "Echoes.\u202e And more\u001b[2J." };

/** Writes callgate.json with a server `s` that has these tools. */
function configure(path: string, tools: readonly object[], rest: object = {}): void {
  const s = { command: process.execPath, args: [fixture, JSON.stringify({ tools })] };
  writeFileSync(
    join(path, "callgate.json"),
    JSON.stringify({ mcpServers: { s }, policy: { default: "allow" }, ...rest }),
  );
}

interface Words {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function command(cwd: string, ...args: readonly string[]): Promise<Words> {
  const ended = inside(args, { cwd });
  const code = await ended.code;
  return { code, stdout: ended.stdout(), stderr: ended.stderr() };
}

describe("audit", () => {
  async function logged(): Promise<string> {
    const path = folder();
    configure(path, [echo], { audit: { file: "logs.jsonl", bodies: "redacted" } });
    const ended = await command(
      path,
      "run",
      "-q",
      "-e",
      "await s.echo({ word: 'one' }); await s.echo({ word: 'two' })",
    );
    expect(ended.code).toBe(0);
    return path;
  }

  test(
    verifies(
      "audit:command",
      "a run writes the log that the configuration names, in the configuration's folder",
    ),
    async () => {
      const path = await logged();
      expect(linesOf(join(path, "logs.jsonl"))).toHaveLength(8);
      const verified = await command(path, "audit", "verify", "logs.jsonl");
      expect(verified.code).toBe(0);
      expect(verified.stdout).toMatch(/^unbroken: logs\.jsonl, 8 lines\nhead [0-9a-f]{64}\n$/);
      expect(verified.stderr).toMatch(/only with --head/);
      const shown = await command(path, "audit", "show", "logs.jsonl");
      expect(shown.code).toBe(0);
      expect(shown.stdout.split("\n").filter(Boolean)).toHaveLength(8);
      expect(shown.stdout).toMatch(/call\.decided {2}#1 s\.echo allow .*"word":"one"/);
    },
  );

  test(
    verifies(["audit:command", "audit:head"], "a changed line and a cut end give 1 and a place"),
    async () => {
      const path = await logged();
      const file = join(path, "logs.jsonl");
      const head =
        /head ([0-9a-f]{64})/.exec((await command(path, "audit", "verify", file)).stdout)?.[1] ?? "";
      const lines = linesOf(file);
      writeFileSync(file, `${lines.slice(0, 5).join("\n")}\n`);
      expect((await command(path, "audit", "verify", file)).code).toBe(0);
      const cut = await command(path, "audit", "verify", file, "--head", head);
      expect(cut).toMatchObject({ code: 1 });
      expect(cut.stdout).toMatch(/:6: line 6 is missing: .*the end was cut off/);
      writeFileSync(file, `${lines.with(2, lines[2]!.replace("echo", "ecko")).join("\n")}\n`);
      const changed = await command(path, "audit", "verify", file);
      expect(changed.code).toBe(1);
      expect(changed.stdout).toMatch(/^broken: .*logs\.jsonl:3: /);
      const shown = await command(path, "audit", "show", file);
      expect(shown.code).toBe(1);
      expect(shown.stdout.split("\n").filter(Boolean)).toHaveLength(2);
      expect(shown.stderr).toMatch(/logs\.jsonl:3: /);
      const json = await command(path, "audit", "verify", file, "--json");
      expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, lines: 2, broken: { line: 3 } });
    },
  );

  test(verifies("audit:command", "one run is shown by the start of its id, also as JSON Lines"), async () => {
    const path = await logged();
    await command(path, "run", "-q", "-e", "return 1");
    const { runId } = JSON.parse(linesOf(join(path, "logs.jsonl")).at(-1)!) as { runId: string };
    const shown = await command(path, "audit", "show", "logs.jsonl", "--json", "--run", runId.slice(0, 8));
    const types = shown.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(["run.start", "run.end"]);
    expect((await command(path, "audit", "show", "logs.jsonl", "--run", "zzz")).code).toBe(1);
  });

  test(
    verifies(
      ["audit:before", "audit:restart"],
      "a command killed in the middle of a call leaves the call in the log",
    ),
    async () => {
      const { path, log } = workspace({ policy: { default: "allow" }, audit: { file: "logs.jsonl" } });
      const run = start(["run", "-q", "-e", "await items.hang({})"], { cwd: path });
      await expect.poll(log, { timeout: 30_000 }).toContain("hang");
      run.child.kill("SIGKILL");
      await run.ended;
      const types = entriesOf(join(path, "logs.jsonl")).map(({ type }) => type);
      expect(types).toEqual(["run.start", "call.decided", "call.sent"]);
      expect(await command(path, "run", "-q", "-e", "return 1")).toMatchObject({ code: 0 });
      const verified = await command(path, "audit", "verify", "logs.jsonl");
      expect(verified.stdout).toMatch(/^unbroken: logs\.jsonl, 5 lines/);
    },
  );

  test(
    verifies("audit:command", "a file that is not there, and a head that is no hash, are mistakes"),
    async () => {
      const path = folder();
      expect(await command(path, "audit", "verify", "gone.jsonl")).toMatchObject({ code: 2 });
      expect(await command(path, "audit", "verify", "gone.jsonl", "--head", "12")).toMatchObject({ code: 2 });
    },
  );

  test.each([
    [{ audit: "log" }, /callgate\.json:1:\d+: audit: expected an object/],
    [{ audit: { file: "a", body: "x" } }, /audit\.body: unknown key "body"/],
    [{ audit: { file: "a", bodies: "x" } }, /audit\.bodies: expected "none" or "hash" or "redacted"/],
    [{ audit: { file: "no/such/folder.jsonl" } }, /callgate\.json:1:\d+: audit\.file: .*cannot be used/],
    [{ pins: "no" }, /pins: expected a boolean/],
  ])(verifies("audit:options", "%j in callgate.json is refused in its place"), async (rest, words) => {
    const path = folder();
    configure(path, [echo], rest);
    const ended = await command(path, "run", "-e", "return 1");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(words);
  });
});

describe("trust", () => {
  async function changed(): Promise<string> {
    const path = folder();
    configure(path, [echo]);
    const first = await command(path, "run", "-e", "return await s.echo({})");
    expect(first).toMatchObject({ code: 0 });
    configure(path, [other]);
    return path;
  }

  test(
    verifies("pins:command", "with a configuration, tools are pinned beside it; a change is denied"),
    async () => {
      const path = await changed();
      expect(existsSync(join(path, "callgate.lock.json"))).toBe(true);
      const ended = await command(path, "run", "-e", "return await s.echo({})");
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(/CALL_DENIED.*description changed.*callgate trust s/);
    },
  );

  test(
    verifies(
      "pins:command",
      "it shows the difference with nothing hidden, and accepts nothing without a name",
    ),
    async () => {
      const path = await changed();
      const before = readFileSync(join(path, "callgate.lock.json"), "utf8");
      const shown = await command(path, "trust");
      expect(shown.code).toBe(1);
      expect(shown.stdout).toContain("s.echo: its description changed");
      expect(shown.stdout).toContain("- ");
      expect(shown.stdout).toContain("+   Echoes.\\u202e And more\\u001b[2J.");
      expect(shown.stdout).not.toMatch(/[\u202e\u001b]/);
      const unasked = await command(path, "trust", "s");
      expect(unasked.code).toBe(2);
      expect(unasked.stderr).toMatch(/no terminal.*--yes/);
      expect(readFileSync(join(path, "callgate.lock.json"), "utf8")).toBe(before);
    },
  );

  test.each([["s"], ["s.echo"], ["--all"]])(
    verifies("pins:command", "trust %s --yes accepts, and then nothing is held back"),
    async (which) => {
      const path = await changed();
      expect(await command(path, "trust", which, "--yes")).toMatchObject({ code: 0 });
      const again = await command(path, "trust");
      expect(again).toMatchObject({ code: 0, stdout: "" });
      expect(again.stderr).toMatch(/nothing is held back/);
    },
  );

  test.each([
    ["y\n", 0],
    ["n\n", 1],
    ["\n", 1],
  ])(verifies("pins:command", "at a terminal it asks, and %j gives %i"), async (typed, code) => {
    const path = await changed();
    const stdin = fakeInput({ tty: true });
    const ended = inside(["trust", "s"], { cwd: path, tty: true, stdin });
    await expect.poll(ended.stderr, { timeout: 20_000 }).toContain("accept 1 definition? [y/n]");
    stdin.write(typed);
    expect(await ended.code).toBe(code);
    expect(readFileSync(join(path, "callgate.lock.json"), "utf8").includes("And more")).toBe(code === 0);
  });

  test(
    verifies("pins:command", "a name that is not, --yes alone, and a name with --all are mistakes"),
    async () => {
      const path = folder();
      configure(path, [echo]);
      expect(await command(path, "trust", "zzz")).toMatchObject({ code: 2 });
      expect(await command(path, "trust", "--yes")).toMatchObject({ code: 2 });
      expect(await command(path, "trust", "s", "--all")).toMatchObject({ code: 2 });
    },
  );

  test(verifies("pins:command", '"pins": false turns it off'), async () => {
    const path = folder();
    configure(path, [echo], { pins: false });
    expect(await command(path, "run", "-e", "return await s.echo({})")).toMatchObject({ code: 0 });
    expect(existsSync(join(path, "callgate.lock.json"))).toBe(false);
    expect(await command(path, "trust")).toMatchObject({ code: 2 });
  });
});
