// What is left when a server ends: nothing.
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { verifies } from "../../requirements.ts";
import {
  ask,
  countingSpawn,
  names,
  never,
  open,
  rawServer,
  runs,
  said,
  script,
  thrown,
  toolOf,
} from "./support.ts";

const pidOf = async (upstream: Upstream): Promise<number> => Number(await said(ask(upstream, "pid")));

test(verifies("upstream:no-process-left", "disposing in the middle of a start leaves nothing"), async () => {
  const { spawn: counted, pids } = countingSpawn();
  const upstream = open(script("setInterval(() => {}, 1000)"), { spawn: counted, graceMs: 100 });
  const failure = thrown(names(upstream));
  while (pids.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await upstream[Symbol.asyncDispose]();
  expect((await failure).code).toBe("DISPOSED");
  expect(pids.map(runs)).toEqual([false]);
});

test(
  verifies("upstream:no-process-left", "a start that takes too long is given up, and leaves nothing"),
  async () => {
    const { spawn: counted, pids } = countingSpawn();
    const config = script("process.stdin.resume(); console.error('waiting for the database')");
    const upstream = open(config, {
      spawn: counted,
      connectTimeoutMs: 400,
      probeTimeoutMs: 100,
      graceMs: 100,
    });
    const failure = await thrown(names(upstream));
    expect(failure.message).toContain("waiting for the database");
    expect(pids.map(runs)).not.toContain(true);
  },
);

test(verifies("upstream:no-process-left", "disposing twice, and with calls in flight, is fine"), async () => {
  const upstream = open(rawServer());
  const pid = await pidOf(upstream);
  const call = thrown(ask(upstream, "hang"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await Promise.all([upstream[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
  expect((await call).code).toBe("CALL_CANCELLED");
  expect(runs(pid)).toBe(false);
  expect((await thrown(ask(upstream, "echo"))).code).toBe("DISPOSED");
  expect((await thrown(names(upstream))).code).toBe("DISPOSED");
});

test(verifies("upstream:no-process-left", "the exit of this process takes its servers along"), async () => {
  const source = new URL("../../../broker/upstream/mcp.ts", import.meta.url).href;
  const config = rawServer({ ignoreTerm: true, grandchild: true });
  const program = `
    const { createMcpUpstream } = await import(${JSON.stringify(source)});
    const upstream = createMcpUpstream("srv", ${JSON.stringify(config)});
    const tool = (name) => ({ server: "srv", name, inputSchema: { type: "object" } });
    const options = { signal: new AbortController().signal, timeoutMs: 20000 };
    for (const name of ["pid", "grandchild"]) {
      process.stdout.write((await upstream.call(tool(name), {}, options)).content[0].text + " ");
    }
    process.exit(0);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  const pids = text.trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(pids.map(runs)).toEqual([false, false]);
});

test(
  verifies("upstream:environment", "a server sees a minimal environment and its own variables"),
  async () => {
    process.env["SECRET_OF_THE_HOST"] = "hunter2";
    const upstream = open({ ...rawServer(), env: { MINE: "yes", PATH: process.env["PATH"] ?? "" } });
    const seen = JSON.parse(await said(ask(upstream, "env"))) as Record<string, string>;
    delete process.env["SECRET_OF_THE_HOST"];
    expect(seen["MINE"]).toBe("yes");
    const allowed = [
      "HOME",
      "LOGNAME",
      "PATH",
      "SHELL",
      "TERM",
      "USER",
      "MINE",
      "TEST_RUN",
      "__CF_USER_TEXT_ENCODING",
    ];
    expect(Object.keys(seen).filter((name) => !allowed.includes(name))).toEqual([]);
  },
);

test(
  verifies("upstream:stderr-bounded", "a flood on stderr blocks nothing, and its end is kept"),
  async () => {
    const upstream = open(rawServer({ flood: 6_000_000, stderr: "first words " }), { stderrBytes: 500 });
    expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
    const failure = await thrown(ask(upstream, "die"));
    expect(failure.message).toContain("flood");
    expect(failure.message).not.toContain("first words");
    expect(failure.message.length).toBeLessThan(1_000);
  },
);

test(
  verifies("upstream:messages", "secrets of the configuration and control characters stay out of messages"),
  async () => {
    const config = rawServer({ exit: 1, stderr: "\u001b[31mbad token s3cret-value\u0007\n" });
    const upstream = open({ ...config, env: { TOKEN: "s3cret-value" } });
    const { message } = await thrown(names(upstream));
    expect(message).toContain("bad token «redacted»");
    expect(message).not.toMatch(/s3cret|[\u0000-\u001f]/);
    expect(upstream.status().error).not.toContain("s3cret");
  },
);

test(
  verifies(
    "upstream:stdout-noise",
    "text on stdout, at the start and between messages, is skipped and noted",
  ),
  async () => {
    const upstream = open(rawServer({ noise: "Server started on port 1" }));
    expect(await said(ask(upstream, "noisy"))).toBe("fine");
    expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
    expect(upstream.status().notes).toEqual([
      "wrote a line to stdout that is no message, skipped: Server started on port 1",
      "wrote a line to stdout that is no message, skipped: not a message",
      "wrote a line to stdout that is no message, skipped: [1,2",
    ]);
  },
);

test(verifies("upstream:oversize", "an answer beyond the limit fails its own call only"), async () => {
  const upstream = open(rawServer(), { messageBytes: 1 << 20 });
  const [big, small] = await Promise.allSettled([
    ask(upstream, "big", { bytes: 3 << 20 }),
    ask(upstream, "big", { bytes: 1_000 }),
  ]);
  expect(small.status).toBe("fulfilled");
  expect(big).toMatchObject({
    reason: { code: "CALL_TOOL_ERROR", message: expect.stringContaining("larger than 1 MB") },
  });
  expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
  expect(upstream.status().notes).toEqual(["sent a message of more than 1 MB, skipped"]);
});

test(verifies("upstream:oversize", "an answer of ten megabytes passes by default"), async () => {
  const upstream = open(rawServer());
  expect((await said(ask(upstream, "big", { bytes: 12 << 20 }))).length).toBe(12 << 20);
});

test(
  verifies("upstream:death", "killing servers at random moments hangs no call and leaves no process"),
  async () => {
    const { spawn: counted, pids } = countingSpawn();
    const upstream = open(rawServer(), { spawn: counted, graceMs: 100 });
    const steady = open(rawServer());
    let random = 42;
    const next = (): number => (random = (random * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    for (let round = 0; round < 8; round += 1) {
      const calls = Array.from({ length: 8 }, (_, at) =>
        upstream.call(toolOf("slow"), { ms: at * 4 }, { signal: never, timeoutMs: 5_000 }).then(
          () => "ok",
          (error: { code: string }) => error.code,
        ),
      );
      const other = said(ask(steady, "echo", { round }));
      await new Promise((resolve) => setTimeout(resolve, next() * 60));
      const victim = pids.at(-1);
      if (victim !== undefined) signal(victim);
      for (const outcome of await Promise.all(calls))
        expect(["ok", "CALL_UPSTREAM_UNAVAILABLE"]).toContain(outcome);
      expect(await other).toBe(`{"round":${round}}`);
    }
    await upstream[Symbol.asyncDispose]();
    expect(pids.map(runs)).not.toContain(true);
  },
);

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
