// The life of a stdio server's process: started late and once, its death, its restart, and that nothing is left of it.
import { expect, test } from "vitest";
import { createMcpUpstream } from "../../../broker/upstream/mcp.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { verifies } from "../../requirements.ts";
import { ask, countingSpawn, names, open, rawServer, runs, said, script, thrown } from "./support.ts";

const pidOf = async (upstream: Upstream): Promise<number> => Number(await said(ask(upstream, "pid")));

test(verifies("upstream:lazy", "nothing is started before it is needed"), async () => {
  const { spawn: counted, pids } = countingSpawn();
  const upstream = open(rawServer(), { spawn: counted });
  expect(upstream.status()).toEqual({ server: "srv", state: "idle", notes: [] });
  await new Promise((resolve) => setImmediate(resolve));
  expect(pids).toEqual([]);
  await upstream[Symbol.asyncDispose]();
  expect(upstream.status().state).toBe("closed");
  expect(pids).toEqual([]);
});

test(verifies("upstream:one-start", "twenty who ask at once start it once"), async () => {
  const { spawn: counted, pids } = countingSpawn();
  const upstream = open(rawServer(), { spawn: counted });
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => names(upstream)),
    ...Array.from({ length: 10 }, () => said(ask(upstream, "pid"))),
  ]);
  expect(new Set(answers.slice(10)).size).toBe(1);
  expect(pids).toHaveLength(1);
});

test.each(["silent", "die"])(
  verifies("upstream:era-probe", "a server that meets the question with: %s"),
  async (probe) => {
    const { spawn: counted, pids } = countingSpawn();
    const config = rawServer({ probe });
    const upstream = open(config, { spawn: counted, probeTimeoutMs: 300 });
    expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
    expect(upstream.status()).toMatchObject({ state: "ready", protocolVersion: "2025-11-25" });
    expect(pids).toHaveLength(probe === "die" ? 2 : 1);
  },
);

test(verifies("upstream:era-remembered", "a second connection does not ask for the era again"), async () => {
  const { spawn: counted, pids } = countingSpawn();
  const config = { ...rawServer({ probe: "die" }), env: { ONLY: "era-remembered" } };
  for (let at = 0; at < 3; at += 1) {
    await using upstream = createMcpUpstream("srv", config, { spawn: counted });
    await names(upstream);
  }
  // The first one died of the question; each later one was started once.
  expect(pids).toHaveLength(4);
});

test(verifies("upstream:death", "a server that ends at its start is named with its last words"), async () => {
  const stderr = "loading\nError: MY_TOKEN is not set\n";
  const failure = await thrown(names(open(rawServer({ exit: 3, stderr }))));
  expect(failure).toMatchObject({
    code: "CALL_UPSTREAM_UNAVAILABLE",
    retryable: true,
    data: { sent: false },
  });
  expect(failure.message).toBe(
    'server "srv" is not available: it exited with code 3; its last lines on stderr: loading ⏎ Error: MY_TOKEN is not set',
  );
});

test(
  verifies("upstream:death", "the error of a server that crashes is not hidden by its stack trace"),
  async () => {
    const { message } = await thrown(names(open(script("throw new Error('no database at hand')"))));
    expect(message).toContain("Error: no database at hand");
    expect(message).not.toContain("    at ");
  },
);

test.each<[string, Parameters<typeof open>[0], RegExp]>([
  [
    "a command that does not exist",
    { command: "no-such-command-here" },
    /its command "no-such-command-here" was not found/,
  ],
  ["a folder as command", { command: "/" }, /may not be executed|could not be started/],
  ["a folder that does not exist", { ...script(""), cwd: "/no/such/folder" }, /or its cwd does not exist/],
  ["an end without a word", script("process.exit(1)"), /it exited with code 1/],
  ["an end of its input", script("process.stdin.destroy()"), /it exited with code 0/],
  [
    "an end of its output",
    script("require('fs').closeSync(1); setInterval(() => {}, 1000)"),
    /it closed its stdout/,
  ],
  ["a signal", script("process.kill(process.pid, 'SIGKILL')"), /it was ended by SIGKILL/],
])(
  verifies("upstream:death", "a server that cannot start fails alone, with the reason: %s"),
  async (_n, config, why) => {
    const upstream = open(config, { graceMs: 200 });
    const failure = await thrown(names(upstream));
    expect(failure.code).toBe("CALL_UPSTREAM_UNAVAILABLE");
    expect(failure.message).toMatch(why);
    expect(upstream.status()).toMatchObject({ state: "failed", error: expect.stringMatching(why) });
  },
);

test.each(["die", "segfault"])(
  verifies(["upstream:death", "upstream:sent"], "death in the middle of calls fails them all at once: %s"),
  async (how) => {
    const upstream = open(rawServer({ stderr: "goodbye" }));
    await names(upstream);
    const hanging = Array.from({ length: 5 }, () => thrown(ask(upstream, "hang")));
    const failures = [await thrown(ask(upstream, how)), ...(await Promise.all(hanging))];
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: "CALL_UPSTREAM_UNAVAILABLE",
        data: { sent: true, server: "srv" },
      });
      expect(failure.message).toMatch(/it exited with code 9|it was ended by SIGKILL/);
      expect(failure.message).toContain("goodbye");
    }
    expect(upstream.status().state).toBe("failed");
  },
);

test(verifies("upstream:restart", "the call after a death starts the server again"), async () => {
  const upstream = open(rawServer());
  const first = await pidOf(upstream);
  await thrown(ask(upstream, "die"));
  const second = await pidOf(upstream);
  expect(second).not.toBe(first);
  expect(upstream.status()).toMatchObject({ state: "ready" });
  expect(upstream.status()).not.toHaveProperty("error");
  expect([runs(first), runs(second)]).toEqual([false, true]);
});

test(
  verifies("upstream:restart", "a server killed from outside between two calls is not missed"),
  async () => {
    const upstream = open(rawServer());
    process.kill(await pidOf(upstream), "SIGKILL");
    while (upstream.status().state === "ready") await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await said(ask(upstream, "echo", { a: 1 }))).toBe('{"a":1}');
  },
);

test(
  verifies("upstream:restart", "the tool list is read again after a death, and kept meanwhile"),
  async () => {
    const upstream = open(rawServer());
    const before = await names(upstream);
    expect(upstream.age()).toMatchObject({ outdated: false, confirmed: true });
    await thrown(ask(upstream, "die"));
    expect(upstream.age()).toMatchObject({ known: true, outdated: true, confirmed: false });
    expect(await names(upstream)).toEqual(before);
    expect(upstream.age()).toMatchObject({ outdated: false, confirmed: true });
  },
);

test(verifies("upstream:backoff", "a server that never starts is not started in a tight loop"), async () => {
  const { spawn: counted, pids } = countingSpawn();
  const upstream = open(script("process.exit(1)"), { spawn: counted });
  const failures = [];
  for (let at = 0; at < 50; at += 1) failures.push(await thrown(ask(upstream, "echo")));
  expect(pids.length).toBeLessThanOrEqual(6);
  const last = failures.at(-1);
  expect(last?.message).toMatch(/it exited with code 1.*it may be tried again in \d+ s/);
  expect(last?.data["retryAfterMs"]).toBeGreaterThan(0);
});

test(
  verifies("upstream:backoff", "a server that dies of every call is restarted ever more slowly"),
  async () => {
    const { spawn: counted, pids } = countingSpawn();
    const upstream = open(rawServer(), { spawn: counted });
    const started = performance.now();
    for (let at = 0; at < 4; at += 1) await thrown(ask(upstream, "die"));
    expect(pids.length).toBeLessThanOrEqual(4);
    expect(performance.now() - started).toBeGreaterThan(700);
  },
);

test(
  verifies("upstream:no-process-left", "a server and what it started are gone after disposing"),
  async () => {
    const upstream = open(rawServer({ grandchild: true }));
    const pid = await pidOf(upstream);
    const grandchild = Number(await said(ask(upstream, "grandchild")));
    expect([runs(pid), runs(grandchild)]).toEqual([true, true]);
    await upstream[Symbol.asyncDispose]();
    expect([runs(pid), runs(grandchild)]).toEqual([false, false]);
  },
);

test(
  verifies("upstream:no-process-left", "a server that ignores signals is gone after disposing"),
  async () => {
    const upstream = open(rawServer({ ignoreTerm: true }), { graceMs: 100 });
    const pid = await pidOf(upstream);
    await upstream[Symbol.asyncDispose]();
    expect(runs(pid)).toBe(false);
  },
);

test(
  verifies("upstream:no-process-left", "what a server started is gone when the server dies by itself"),
  async () => {
    const upstream = open(rawServer());
    const grandchild = Number(await said(ask(upstream, "grandchild")));
    await thrown(ask(upstream, "die"));
    await upstream[Symbol.asyncDispose]();
    expect(runs(grandchild)).toBe(false);
  },
);
