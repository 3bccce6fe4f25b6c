// Signals, and what is left after them: nothing.
import { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createInterrupt, raced } from "../../cli/interrupt.ts";
import { verifies } from "../requirements.ts";
import { ALLOW_ALL, isAlive, pidsIn, start, workspace } from "./support.ts";

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries += 1) await pause(50);
  return !isAlive(pid);
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !holds(); tries += 1) await pause(50);
  expect(holds()).toBe(true);
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  verifies(
    "cli:interrupt",
    "%s ends a run that waits for a tool with %i, tells what was done and leaves no child",
  ),
  async (signal, code) => {
    const { path, log } = workspace(ALLOW_ALL);
    const script = "await items.write_item({ title: 'a' }); await items.hang({})";
    const run = start(["run", "-e", script], { cwd: path });
    await until(() => log().includes("hang"));
    run.child.kill(signal);
    const ended = await run.ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain("RUN_ABORTED");
    expect(ended.stderr).toContain("already done, do not repeat: items.write_item");
    expect(ended.stderr).toContain("sent, effect unknown: items.hang");
    const pids = pidsIn(log());
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) expect(await gone(pid)).toBe(true);
  },
);

test(verifies("cli:interrupt", "a script that never gives way is ended too"), async () => {
  const { path, log } = workspace();
  const run = start(["run", "-e", "while (true);", "--limit", "cpuMs=10m", "--limit", "wallMs=10m"], {
    cwd: path,
  });
  await until(() => log().length > 0);
  await pause(500);
  run.child.kill("SIGINT");
  expect((await run.ended).code).toBe(130);
  for (const pid of pidsIn(log())) expect(await gone(pid)).toBe(true);
});

test(
  verifies(["cli:interrupt", "cli:slow-start"], "a signal while servers start leaves none of them behind"),
  async () => {
    const { path, log } = workspace({
      mcpServers: { mute: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] } },
    });
    const run = start(["run", "-e", "return 1"], { cwd: path });
    await until(() => pidsIn(log()).length > 0);
    await run.said("waiting for servers to start: items, mute");
    run.child.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    for (const pid of pidsIn(log())) expect(await gone(pid)).toBe(true);
  },
);

function controlled(): {
  readonly source: EventEmitter;
  readonly exitNow: ReturnType<typeof vi.fn<(code: number) => void>>;
  readonly clock: { at: number };
} {
  return { source: new EventEmitter(), exitNow: vi.fn<(code: number) => void>(), clock: { at: 0 } };
}

test(verifies("cli:interrupt", "the first signal aborts, a second one ends at once"), () => {
  const { source, exitNow, clock } = controlled();
  using interrupt = createInterrupt({ source, exitNow, now: () => clock.at });
  expect(interrupt.exitCode).toBeUndefined();
  source.emit("SIGINT");
  expect([interrupt.signal.aborted, interrupt.exitCode]).toEqual([true, 130]);
  clock.at = 1_000;
  source.emit("SIGINT");
  expect(exitNow).toHaveBeenCalledExactlyOnceWith(130);
});

test(
  verifies("cli:interrupt", "one key press that arrives twice counts once, another signal counts at once"),
  () => {
    const { source, exitNow, clock } = controlled();
    using interrupt = createInterrupt({ source, exitNow, now: () => clock.at });
    source.emit("SIGINT");
    clock.at = 20;
    source.emit("SIGINT");
    expect(exitNow).not.toHaveBeenCalled();
    source.emit("SIGTERM");
    expect(exitNow).toHaveBeenCalledExactlyOnceWith(143);
    expect(interrupt.exitCode).toBe(130);
  },
);

test(verifies("cli:interrupt", "nothing listens after the end"), () => {
  const { source, exitNow } = controlled();
  createInterrupt({ source, exitNow, now: () => 0 })[Symbol.dispose]();
  expect(source.eventNames().flatMap((name) => source.listeners(name))).toEqual([]);
});

test(
  verifies("cli:interrupt", "a wait ends with the signal, or with the work, and keeps no listener"),
  async () => {
    const controller = new AbortController();
    await expect(raced(Promise.resolve(5), controller.signal)).resolves.toBe(5);
    await expect(raced(Promise.reject(new Error("own")), controller.signal)).rejects.toThrow("own");
    const waiting = raced(new Promise(() => {}), controller.signal);
    controller.abort(new Error("ended"));
    await expect(waiting).rejects.toThrow("ended");
    await expect(raced(new Promise(() => {}), controller.signal)).rejects.toThrow("ended");
  },
);
