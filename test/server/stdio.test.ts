// callgate serve as a host starts it: a process on stdio.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { claimStdout } from "../../server/stdio.ts";
import { callgate, commandFile, isAlive, pidsIn, start, workspace } from "../cli/support.ts";
import { verifies } from "../requirements.ts";
import { call, ERAS, script, type Answer, type Era, type Question } from "./support.ts";

const POLICY = { default: "allow", rules: [{ tools: "items.write_item", effect: "ask" }] };

async function host(
  cwd: string,
  era: Era,
  options: { readonly answer?: Answer; readonly args?: readonly string[] } = {},
): Promise<Client> {
  const { answer, args = [] } = options;
  const client = new Client(
    { name: "host", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", (request) =>
      answer(request.params as unknown as Question),
    );
  const transport = new StdioClientTransport({
    command: process.execPath,
    // The variable that says so for other tests is not among those that hosts pass on.
    args: [commandFile, "serve", "--trust-config", ...args],
    cwd,
    stderr: "pipe",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

describe.each(ERAS)("in the %s era", (era) => {
  test(
    verifies(
      ["server:repair", "server:ask", "server:progress"],
      "a whole session: discover, wrong script, repair, question, success",
    ),
    async () => {
      const { path, log } = workspace({ policy: POLICY });
      const questions: Question[] = [];
      const client = await host(path, era, {
        answer: (question) => {
          questions.push(question);
          return { action: "accept", content: { answer: "allow once" } };
        },
      });
      expect((await call(client, "search_tools", { query: "write an item" })).text).toContain(
        "items.write_item",
      );
      const wrong = await script(client, 'await items.write_item({ name: "a" });');
      expect(wrong).toMatchObject({ isError: true, data: { error: { code: "SCRIPT_TYPE" } } });
      const progress: number[] = [];
      const right = await script(
        client,
        'await items.write_item({ title: "a" });\nawait sleep(150);\nreturn "done";',
        {
          onprogress: (one) => progress.push(one.progress),
        },
      );
      expect(right).toMatchObject({ isError: false, text: "done" });
      expect(questions.map(({ message }) => message)).toEqual([expect.stringContaining("write_item")]);
      expect(log()).toContain("write a");
      expect(progress.length).toBeGreaterThan(0);
    },
  );

  test(verifies("server:denial", "a host that cannot ask is told the rule"), async () => {
    const { path, log } = workspace({ policy: {} });
    const client = await host(path, era);
    const refused = await script(client, 'await items.write_item({ title: "a" });');
    expect(refused.text).toContain('{ "tools": "items.write_item", "effect": "allow" }');
    expect(log()).not.toContain("write a");
  });

  test(
    verifies("server:cancel", "a cancelled request leaves no call running, and the session goes on"),
    async () => {
      const { path, log } = workspace({ policy: { default: "allow" } });
      const client = await host(path, era);
      const cancelled = new AbortController();
      const running = script(client, "await items.hang({});", { signal: cancelled.signal });
      running.catch(() => {});
      await expect.poll(log, { timeout: 30_000 }).toContain("hang");
      cancelled.abort();
      await expect(running).rejects.toThrow();
      expect((await script(client, "return (await items.read_item({ id: 1 })).title;")).text).toBe("item 1");
    },
  );
});

test(verifies("server:ask", "--yes asks nobody; --deny refuses"), async () => {
  const { path, log } = workspace({ policy: POLICY });
  const yes = await host(path, "modern", { args: ["--yes"] });
  expect((await script(yes, 'await items.write_item({ title: "yes" });\nreturn 1;')).text).toBe("1");
  const deny = await host(path, "legacy", { args: ["--deny", "--tools", "run_script,call_tool"] });
  expect((await deny.listTools()).tools.map(({ name }) => name)).toEqual(["run_script", "call_tool"]);
  const refused = await call(deny, "call_tool", {
    server: "items",
    tool: "write_item",
    arguments: { title: "no" },
  });
  expect(refused.text).toContain("refused by --deny");
  expect(log()).not.toContain("write no");
});

test(
  verifies(
    ["server:pipe", "server:stdout"],
    "a closed pipe in the middle of a call ends the process and every child; stdout was the protocol alone",
  ),
  async () => {
    const { path, log } = workspace({ policy: { default: "allow" } });
    const child = spawn(process.execPath, [commandFile, "serve"], {
      cwd: path,
      stdio: ["pipe", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    });
    send({ method: "notifications/initialized" });
    child.stdin.write("this is no message\n");
    send({
      id: 2,
      method: "tools/call",
      params: {
        name: "run_script",
        arguments: { script: 'console.log("out"); console.error("err"); await items.hang({});' },
      },
    });
    await expect.poll(log, { timeout: 30_000 }).toContain("hang");
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdin.end();
    expect(await ended).toBe(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(lines.length).toBeGreaterThan(0);
    const pids = pidsIn(log());
    expect(pids.length).toBeGreaterThan(0);
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  },
);

test(verifies("server:stdout", "what anything else writes to stdout goes to stderr"), async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const protocol = claimStdout(out, err);
  out.write("a stray line\n");
  await new Promise((resolve) => protocol.write('{"é":1}\n', resolve));
  expect(String(out.read())).toBe('{"é":1}\n');
  expect(String(err.read())).toBe("a stray line\n");
});

test(verifies("server:command", "on HTTP it tells where it listens, and a signal ends it"), async () => {
  const { path } = workspace();
  const { child, said, ended } = start(["serve", "--http", "0"], { cwd: path });
  await said("listening on http://127.0.0.1:");
  child.kill("SIGTERM");
  const { code, stdout } = await ended;
  expect(code).toBe(143);
  expect(stdout).toBe("");
});

test.each([
  [["--http", "99999"], "expected a port"],
  [["--http", "a b:1"], "expected a port"],
  [["--tools", "run_scripts"], 'there is no "run_scripts"'],
  [["--tools", ""], "there is no"],
  [["--token-env", "NOT_SET"], "are for --http"],
  [["--http", "0", "--token-env", "CALLGATE_NOT_SET"], "is not set"],
  [["--http", "0.0.0.0:0"], "bearer token is required"],
  [["--http", "127.0.0.1:0", "--token-env", "SHORT"], "at least 16"],
])(
  verifies(["server:command", "server:exposed"], "%j is refused with what is wrong"),
  async (args, words) => {
    const { code, stderr, stdout } = await callgate(["serve", ...args], { env: { SHORT: "short" } });
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  },
);
