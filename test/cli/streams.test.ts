// What a run writes, and where.
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import type { RunResult } from "../../index.ts";
import { bytesKeptOut } from "../../cli/receipt.ts";
import { verifies } from "../requirements.ts";
import { fakeInput, inside, words } from "./inside.ts";
import { ALLOW_ALL, callgate, commandFile, folder, workspace } from "./support.ts";

const ESC = "\u001b";

test(
  verifies("cli:stdout-pure", "stdout is what the script logged, in order, a returned value last"),
  async () => {
    const script = "console.log('one'); console.error('two'); console.log({ three: 3 }); return [4]";
    const { stdout } = await callgate(["run", "-e", script], { cwd: folder() });
    expect(stdout.split("\n").slice(0, 2)).toEqual(["one", "two"]);
    expect(stdout).toMatch(/three: 3[^]*4[^]*\n$/);
  },
);

test(verifies("cli:stdout-pure", "a script that logs nothing leaves stdout empty"), async () => {
  expect(await words(["run", "-e", "const a = 1"], { cwd: folder() })).toMatchObject({ code: 0, stdout: "" });
});

test(
  verifies("cli:stdout-pure", "what a script logged before it failed is on stdout, the failure is not"),
  async () => {
    const ended = await words(["run", "-e", "console.log('before'); throw new Error('after')"], {
      cwd: folder(),
    });
    expect(ended.stdout).toBe("before\n");
    expect(ended.stderr).toContain("after");
  },
);

test(verifies("cli:stdout-pure", "a pipe gets the script's own bytes"), async () => {
  const text = `${ESC}[31mred \u202e é 日本 😀`;
  const { stdout } = await callgate(["run", "-e", `console.log(${JSON.stringify(text)})`], { cwd: folder() });
  expect(stdout).toBe(`${text}\n`);
});

test(verifies("cli:stdout-pure", "much output arrives whole"), async () => {
  const script = "for (let i = 0; i < 5000; i++) console.log('x'.repeat(99))";
  const { stdout } = await callgate(["run", "-q", "-e", script, "--limit", "outputBytes=1mb"], {
    cwd: folder(),
  });
  expect(stdout).toBe(`${"x".repeat(99)}\n`.repeat(5_000));
});

test(
  verifies("cli:visible", "a terminal gets escapes instead of control characters, from scripts and servers"),
  async () => {
    const { path } = workspace(ALLOW_ALL);
    const script = `console.log("${ESC}[2J\u202e"); await items.fail({ message: "${ESC}]0;title\u0007" })`;
    const ended = inside(["run", "-e", script], { cwd: path, tty: true, env: { NO_COLOR: "1" } });
    expect(await ended.code).toBe(1);
    expect(ended.stdout()).toBe("\\u001b[2J\\u202e\n");
    expect(ended.stderr()).toContain("\\u001b]0;title\\u0007");
    expect(ended.stderr().replaceAll(`\r${ESC}[K`, "")).not.toContain(ESC);
  },
);

test(
  verifies("cli:receipt", "the receipt tells status, calls, errors, times, sandbox and what stayed out"),
  async () => {
    const { path } = workspace(ALLOW_ALL);
    const script = `
    await Promise.all([1, 2, 3].map((id) => items.read_item({ id })));
    await items.big({});
    try { await items.fail({ message: "no" }) } catch {}
    console.log("done");`;
    const { code, stderr } = await words(["run", "-e", script], { cwd: path });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^completed in [\d.]+ m?s, cpu [\d.]+ m?s, 5 calls, 1 error$/m);
    expect(stderr).toMatch(/^ {2}items\.read_item +3 ok$/m);
    expect(stderr).toMatch(/^ {2}items\.fail +1 error CALL_TOOL_ERROR$/m);
    expect(stderr).toMatch(/^ {2}sandbox: (?:hardened|partial|process)/m);
    expect(stderr).toMatch(/^ {2}context: 50\.\d KB stayed out of the model's context, \d+ B logged$/m);
  },
);

test(verifies("cli:receipt", "bytes that stayed out are never negative"), () => {
  const usage = { resultBytes: 10, loggedBytes: 50 } as RunResult["usage"];
  expect(bytesKeptOut({ usage })).toBe(0);
});

test(
  verifies("cli:receipt", "--quiet leaves stderr empty when all is well, and still tells a failure"),
  async () => {
    expect((await words(["run", "-q", "-e", "console.log(1)"], { cwd: folder() })).stderr).toBe("");
    const failed = await words(["run", "-q", "-e", "throw new Error('why')"], { cwd: folder() });
    expect(failed.stderr).toContain("SCRIPT_THREW: why");
    expect(failed.stderr).not.toContain("sandbox:");
  },
);

const BROKEN = {
  mcpServers: {
    broken: { command: process.execPath, args: ["-e", "console.error('no key'); process.exit(3)"] },
  },
};

test(
  verifies(
    ["cli:quiet", "cli:json"],
    "a server that is not available is told with --quiet, and is a note of --json",
  ),
  async () => {
    const { path } = workspace(BROKEN);
    const quiet = await words(["run", "-q", "-e", "return 1"], { cwd: path });
    expect(quiet).toMatchObject({ code: 0, stdout: "1\n" });
    expect(quiet.stderr).toMatch(/^warning: server broken is not available: .*no key[^\n]*\n$/);
    const { stdout } = await words(["run", "-q", "--json", "-e", "return 1"], { cwd: path });
    const { notes } = JSON.parse(stdout) as { notes: readonly string[] };
    expect(notes).toEqual([expect.stringMatching(/^server broken is not available: .*no key/)]);
  },
);

test(verifies("cli:json", "without anything to tell, notes are an empty list"), async () => {
  const { stdout } = await words(["run", "--json", "-e", "return 1"], { cwd: folder() });
  expect(JSON.parse(stdout)).toMatchObject({ status: "completed", notes: [] });
});

test(verifies("cli:json", "--json prints the result of a run that completed"), async () => {
  const { path } = workspace(ALLOW_ALL);
  const script = "console.log((await items.read_item({ id: 3 })).title)";
  const { stdout, code } = await words(["run", "--json", "-e", script], { cwd: path });
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as RunResult;
  expect(result).toMatchObject({ status: "completed", output: expect.stringContaining("item 3") as string });
  expect(result.calls).toMatchObject([{ seq: 1, server: "items", tool: "read_item", status: "ok" }]);
});

test(
  verifies("cli:json", "--json prints the result of a run that failed, with the same exit code"),
  async () => {
    const { stdout, code } = await words(["run", "--json", "-e", "missing.call()"], { cwd: folder() });
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as RunResult;
    expect(result).toMatchObject({ status: "failed", error: { code: "SCRIPT_TYPE", line: 1 } });
  },
);

test(
  verifies(
    "cli:failure",
    "a type error names the line, shows it with a caret, suggests, and no call was made",
  ),
  async () => {
    const { path, log } = workspace(ALLOW_ALL);
    const script =
      "await items.write_item({ title: 'a' });\nconst item = await items.read_item({ id: 1 });\nconsole.log(item.titel);\n";
    const { code, stderr } = await words(["run", "-"], { cwd: path, input: script });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error SCRIPT_TYPE: .*titel/m);
    expect(stderr).toContain("--> stdin:3:18\n  3 | console.log(item.titel);\n                       ^\n");
    expect(stderr).toContain("title");
    expect(stderr).toContain("no call was made");
    expect(log().some((line) => line.startsWith("write"))).toBe(false);
  },
);

test(
  verifies("cli:failure", "a thrown error names its class, its place and what had been done"),
  async () => {
    const { path } = workspace(ALLOW_ALL);
    const script =
      "await items.read_item({ id: 1 });\nawait items.write_item({ title: 'a' });\nthrow new RangeError('too far');\n";
    const { stderr } = await words(["run", "-"], { cwd: path, input: script });
    expect(stderr).toContain("error SCRIPT_THREW: RangeError: too far");
    expect(stderr).toContain("--> stdin:3:7\n  3 | throw new RangeError('too far');");
    expect(stderr).toContain("already done, do not repeat: items.write_item");
    expect(stderr).toContain("safe to repeat: items.read_item");
  },
);

test(verifies("cli:failure", "warnings of a run that completed are told too"), async () => {
  const { stderr, code } = await words(
    ["run", "--check", "warn", "-e", "const n: number = 'a'; console.log(n)"],
    { cwd: folder() },
  );
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning SCRIPT_TYPE/m);
});

test(verifies("cli:colour", "a terminal is coloured, a pipe is not"), async () => {
  const terminal = inside(["run", "-e", "return 1"], { cwd: folder(), tty: true });
  await terminal.code;
  expect(terminal.stderr()).toContain(`${ESC}[32mcompleted${ESC}[39m`);
  expect((await words(["run", "-e", "return 1"], { cwd: folder() })).stderr).not.toContain(ESC);
});

test(verifies("cli:colour", "FORCE_COLOR colours a pipe, NO_COLOR wins over it"), async () => {
  const run = (env: Record<string, string>): Promise<string> =>
    words(["run", "-e", "return 1"], { cwd: folder(), env }).then(({ stderr }) => stderr);
  expect(await run({ FORCE_COLOR: "1" })).toContain(`${ESC}[`);
  expect(await run({ FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain(ESC);
});

test(verifies("cli:live", "a terminal sees the count of calls, a pipe does not"), async () => {
  const { path } = workspace(ALLOW_ALL);
  const script = "for (let id = 0; id < 3; id++) { await items.read_item({ id }); await sleep(150) }";
  const terminal = inside(["run", "-e", script], { cwd: path, tty: true });
  expect(await terminal.code).toBe(0);
  expect(terminal.stderr()).toMatch(/\d calls? done/);
  expect(terminal.stdout()).toBe("");
  expect((await words(["run", "-e", script], { cwd: path })).stderr).not.toContain("done");
});

test(verifies("cli:live", "the live line is gone when the command ends"), async () => {
  const { path } = workspace(ALLOW_ALL);
  const stdin = fakeInput({ tty: true });
  const terminal = inside(["run", "-q", "-e", "await items.read_item({ id: 1 })"], {
    cwd: path,
    tty: true,
    stdin,
  });
  expect(await terminal.code).toBe(0);
  expect(terminal.stderr()).toBe("");
});

test.each([
  [
    "the output of a run",
    [
      "run",
      "-e",
      "for (let i = 0; i < 3000; i++) console.log('y'.repeat(200))",
      "--limit",
      "outputBytes=4mb",
    ],
  ],
  ["declarations", ["types"]],
])(verifies("cli:closed-pipe", "closing the pipe under %s is no crash"), async (_, args) => {
  const child = spawn(process.execPath, [commandFile, ...args], {
    cwd: folder(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/EPIPE|Error|INTERNAL|at .*\.ts:/);
});

test(verifies("cli:closed-pipe", "a closed stderr changes nothing"), async () => {
  const child = spawn(process.execPath, [commandFile, "run", "-e", "return 5"], {
    cwd: folder(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.destroy();
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(stdout).toBe("5\n");
});
