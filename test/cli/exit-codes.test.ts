// Exit codes of real runs.
import { expect, test } from "vitest";
import { CallgateError, DEFAULT_LIMITS, type RunResult } from "../../index.ts";
import { exitCodeOf, exitCodeOfError } from "../../cli/exit-code.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { verifies } from "../requirements.ts";
import { inside, words } from "./inside.ts";
import { ALLOW_ALL, callgate, folder, workspace } from "./support.ts";

test(verifies("cli:exit-codes", "a script that completes gives 0"), async () => {
  expect((await callgate(["run", "-e", "console.log(1)"])).code).toBe(0);
});

test.each([
  ["throws", "throw new Error('x')"],
  ["does not parse", "const = 1"],
  ["does not type-check", "const n: number = 'a'"],
  ["exceeds a limit", "while (true);"],
])(verifies("cli:exit-codes", "a script that %s gives 1"), async (_, script) => {
  expect((await words(["run", "-e", script, "--limit", "cpuMs=200"], { cwd: folder() })).code).toBe(1);
});

test.each([
  ["an unknown command", ["frobnicate"]],
  ["an unknown option", ["run", "--frobnicate"]],
  ["no script", ["run"]],
  ["a script that is not there", ["run", "nothing.ts"]],
  ["two scripts", ["run", "a.ts", "-e", "1"]],
  ["opposite answers", ["run", "-e", "1", "--yes", "--deny"]],
  ["a bad choice", ["run", "-e", "1", "--check", "maybe"]],
  ["a bad time zone", ["run", "-e", "1", "--timezone", "Mars/Base"]],
  ["a configuration that is not there", ["run", "-e", "1", "--config", "nothing.json"]],
  ["watching what is no file", ["run", "-e", "1", "--watch"]],
  ["no command at all", []],
])(verifies("cli:exit-codes", "%s gives 2, a reason on stderr and nothing on stdout"), async (_, args) => {
  const ended = inside(args, { cwd: folder() });
  expect(await ended.code).toBe(2);
  expect(ended.stdout()).toBe("");
  expect(ended.stderr().trim()).not.toBe("");
});

test(verifies("cli:exit-codes", "the process of a command that is used wrongly ends with 2"), async () => {
  expect(await callgate(["frobnicate"])).toMatchObject({ code: 2, stdout: "" });
});

test(verifies("cli:exit-codes", "a configuration the gate refuses gives 2"), async () => {
  const { path } = workspace({ policy: { rules: [{ tools: "items.*", effect: "perhaps" }] } });
  const ended = await words(["run", "-e", "1"], { cwd: path });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("policy.rules[0].effect");
});

test(
  verifies(["cli:exit-codes", "cli:ask-nobody"], "a run that fails for want of somebody to ask gives 3"),
  async () => {
    const { path, log } = workspace();
    const ended = await words(["run", "-e", "await items.write_item({ title: 'a' })"], { cwd: path });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("CALL_DENIED");
    expect(ended.stderr).toContain('{ "tools": "items.write_item", "effect": "allow" }');
    expect(log().filter((line) => line.startsWith("write"))).toEqual([]);
  },
);

test(verifies("cli:exit-codes", "a script that catches that denial and completes gives 0"), async () => {
  const { path } = workspace();
  const script =
    "try { await items.write_item({ title: 'a' }) } catch (e) { console.log((e as ToolError).code) }";
  expect(await words(["run", "-e", script], { cwd: path })).toMatchObject({
    code: 0,
    stdout: "CALL_DENIED\n",
  });
});

test(verifies("cli:exit-codes", "a call that a rule denies gives 1: approval would not help"), async () => {
  const { path } = workspace({ policy: { rules: [{ tools: "items.write_item", effect: "deny" }] } });
  expect((await words(["run", "-e", "await items.write_item({ title: 'a' })"], { cwd: path })).code).toBe(1);
});

test(verifies("cli:standing-answers", "--yes makes the call, --deny does not and gives 1"), async () => {
  const { path, log } = workspace();
  const script = "await items.write_item({ title: 'a' })";
  const denied = await words(["run", "-e", script, "--deny"], { cwd: path });
  expect(denied.code).toBe(1);
  expect(denied.stderr).toContain("CALL_APPROVAL_REJECTED");
  expect(log()).not.toContain("write a");
  expect((await words(["run", "-e", script, "--yes"], { cwd: path })).code).toBe(0);
  expect(log()).toContain("write a");
});

test(verifies("cli:standing-answers", "--yes does not overrule a rule that denies"), async () => {
  const { path, log } = workspace({ policy: { rules: [{ tools: "items.write_item", effect: "deny" }] } });
  await words(["run", "-e", "await items.write_item({ title: 'a' })", "--yes"], { cwd: path });
  expect(log()).not.toContain("write a");
});

test(verifies("cli:exit-codes", "help and version give 0 on stdout"), async () => {
  for (const args of [["--help"], ["run", "--help"], ["help", "tools"], ["--version"]]) {
    const ended = inside(args, { cwd: folder() });
    expect(await ended.code, args.join(" ")).toBe(0);
    expect(ended.stderr()).toBe("");
    expect(ended.stdout()).not.toBe("");
  }
});

test(
  verifies("cli:one-style", "every error begins with the word, then its code where it has one"),
  async () => {
    const { path } = workspace({ polcy: {} });
    const first = async (args: readonly string[], cwd: string): Promise<string | undefined> =>
      (await words(args, { cwd })).stderr.split("\n")[0];
    expect(await first(["run", "--frobnicate"], folder())).toBe("error: unknown option '--frobnicate'");
    expect(await first(["run"], folder())).toMatch(/^error: no script: /);
    expect(await first(["run", "-e", "1"], path)).toMatch(
      /^error CONFIG_INVALID: callgate\.json:\d+:\d+: polcy: /,
    );
    const refused = workspace({ policy: { rules: [{ tools: "a.b", effect: "perhaps" }] } }).path;
    expect(await first(["run", "-e", "1"], refused)).toMatch(
      /^error CONFIG_POLICY_INVALID: callgate\.json:\d+:\d+: /,
    );
    expect(await first(["run", "-e", "throw 1"], folder())).toMatch(/^error SCRIPT_THREW: /);
  },
);

test(verifies("cli:exit-codes", "a mistyped command or option is corrected"), async () => {
  const told = async (...args: readonly string[]): Promise<string> => {
    const ended = inside(args, { cwd: folder() });
    await ended.code;
    return ended.stderr();
  };
  expect(await told("chekc", "a.ts")).toContain("Did you mean check?");
  expect(await told("run", "--jsno")).toContain("Did you mean --json?");
});

const limits = DEFAULT_LIMITS;
function result(part: Partial<RunResult>): RunResult {
  const usage = {
    wallMs: 1,
    cpuMs: 1,
    heapMb: 0,
    calls: 0,
    maxCallsInFlight: 0,
    loggedBytes: 0,
    resultBytes: 0,
  };
  const sandbox = { level: "process", measures: {}, missing: [] } as const;
  const base = { runId: "r", output: "", outputTruncated: false, warnings: [], calls: [], sandbox };
  return { ...base, status: "failed", usage: { ...usage, timers: 0, limits }, ...part };
}

test(verifies("cli:exit-codes", "a paused run gives 3, a worker that cannot start gives 4"), () => {
  expect(exitCodeOf(result({ status: "paused" }), true)).toBe(3);
  expect(exitCodeOf(result({ error: { code: "WORKER_START_FAILED", message: "" } }), true)).toBe(4);
});

test(
  verifies(
    "cli:exit-codes",
    "what a command throws has its code: 2 for usage and CONFIG_, 4 for the sandbox",
  ),
  () => {
    expect(exitCodeOfError(new UsageError("x"))).toBe(2);
    expect(exitCodeOfError(new CallgateError("CONFIG_INVALID", "x"))).toBe(2);
    expect(exitCodeOfError(new CallgateError("CONFIG_POLICY_INVALID", "x"))).toBe(2);
    expect(exitCodeOfError(new CallgateError("WORKER_START_FAILED", "x"))).toBe(4);
    expect(exitCodeOfError(new CallgateError("SCRIPT_TOO_LARGE", "x"))).toBe(1);
    expect(exitCodeOfError(new Error("x"))).toBe(1);
  },
);

test(verifies("cli:node-version", "Node 20 is refused in one line with 2"), async () => {
  const pretend =
    "data:text/javascript,for (const [k, v] of [['versions', { ...process.versions, node: '20.19.0' }], ['version', 'v20.19.0']]) Object.defineProperty(process, k, { value: v })";
  const ended = await callgate(["run", "-e", "1"], { node: ["--import", pretend] });
  expect(ended).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "error: callgate needs Node 24 or newer; this is v20.19.0\n",
  });
});

test(verifies("cli:together", "two runs at once in one folder both complete"), async () => {
  const { path } = workspace(ALLOW_ALL);
  const script = "console.log((await items.read_item({ id: 7 })).title)";
  const both = await Promise.all([1, 2].map(() => callgate(["run", "-e", script], { cwd: path })));
  expect(both.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, "item 7\n"],
    [0, "item 7\n"],
  ]);
});

test(verifies("cli:exit-codes", "an empty folder needs no configuration"), async () => {
  expect((await callgate(["run", "-e", "return 1"], { cwd: folder() })).stdout).toBe("1\n");
});
