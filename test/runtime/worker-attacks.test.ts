// The worker process is the attacker: whatever it sends, it is killed, its run gets a typed end, and nobody else notices.
import { constants } from "node:os";
import { describe, expect, test } from "vitest";
import { isAlive, eventually } from "../escape/children.ts";
import { verifies } from "../requirements.ts";
import { attacked, type Attacked, type RunChanges } from "./attacked.ts";

const HONEST =
  "const first = await own.count({}); await sleep(5); return typeof first === 'number' ? 42 : 'wrong';";

/** Runs the scenario beside an honest run of somebody else; answers with the end of the attacked run. */
async function attack(
  scenario: string,
  { extra = "", ...changes }: RunChanges & { readonly extra?: string } = {},
): Promise<{ code: string; message: string; calls: readonly string[]; maxAtOnce: number }> {
  await using bench: Attacked = await attacked(scenario, extra);
  const before = process.memoryUsage().rss;
  const run = bench.run("attacked", "await own.count({});", changes);
  const beside = await bench.run("somebody else", HONEST);
  const { cause } = await run;
  const pid = bench.workers[0]?.pid ?? 0;
  // The attacked run must not have cost anybody else anything, nor left the attacker anything.
  expect(beside).toMatchObject({ cause: { type: "returned" }, output: "42" });
  if (cause.type !== "returned") expect(await eventually(() => !isAlive(pid), 5_000)).toBe(true);
  expect((await bench.run("somebody else", HONEST)).output).toBe("42");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect((process.memoryUsage().rss - before) / (1 << 20)).toBeLessThan(400);
  // Two calls are the honest runs' own.
  const calls = bench.calls.filter((name) => name !== "own.count-raw");
  const counted = bench.calls.length - calls.length - 2;
  return {
    code: cause.type === "stopped" ? cause.code : cause.type,
    message: cause.type === "returned" ? "" : cause.message,
    calls: [...calls, ...Array.from({ length: counted }, () => "count")],
    maxAtOnce: bench.maxAtOnce,
  };
}

describe("frames that no honest worker sends", () => {
  const violations = [
    "slot-of-nobody",
    "rest-unasked",
    "slot-not-a-number",
    "slot-negative",
    "log-of-nobody",
    "done-of-nobody",
    "seq-skipped",
    "timer-out-of-order",
    "timer-flood",
    "call-with-large-arguments",
    "call-outside-manifest",
    "call-by-raw-name",
    "call-of-constructor",
    "call-of-inherited",
    "call-with-control-characters",
    "ready-twice",
    "limit-of-no-kind",
    "frame-too-large",
    "frame-empty",
    "frame-not-json",
    "frame-not-utf8",
    "frame-null",
    "frame-array",
    "frame-deep",
    "frame-of-many-parts",
    "frame-byte-by-byte",
    "frame-unknown-type",
    "frame-extra-key",
    "frame-missing-key",
    "frame-proto-key",
    "frame-proto-only",
    "done-large-lists",
    "log-huge",
    "log-flood",
    "log-empty-flood",
    "cancel-flood",
    "stderr-flood",
    "emit-of-nobody",
    "emit-not-json",
    "emit-not-an-object",
    "emit-of-no-kind",
    "emit-not-base64",
    "emit-made-up-handle",
    "emit-handle-of-no-form",
    "emit-large-facts",
    "emit-over-the-limit",
    "emit-flood",
  ];
  for (const scenario of violations) {
    test(
      verifies(
        ["contain:hostile-worker", "contain:frames"],
        `${scenario} ends the worker; no tool is called`,
      ),
      async () => {
        const { code, message, calls } = await attack(scenario);
        expect(code).toBe("WORKER_PROTOCOL_VIOLATION");
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(calls).toEqual([]);
      },
    );
  }
});

describe("numbers of calls", () => {
  test(verifies("contain:hostile-worker", "a call sent twice is not made twice"), async () => {
    // A call that has not begun when the violation is seen is not made at all.
    const repeated = await attack("seq-repeated");
    expect(repeated.code).toBe("WORKER_PROTOCOL_VIOLATION");
    expect(repeated.calls.length).toBeLessThanOrEqual(1);
    const backwards = await attack("seq-backwards");
    expect(backwards.code).toBe("WORKER_PROTOCOL_VIOLATION");
    expect(backwards.calls.length).toBeLessThanOrEqual(2);
  });

  test(
    verifies(
      ["contain:hostile-worker", "contain:back-pressure"],
      "a flood of calls never exceeds the window",
    ),
    async () => {
      const { code, calls, maxAtOnce } = await attack("call-flood", { limits: { callsInFlight: 8 } });
      expect(code).toBe("WORKER_PROTOCOL_VIOLATION");
      expect(calls.length).toBeLessThanOrEqual(8);
      expect(maxAtOnce).toBeLessThanOrEqual(8 + 1);
    },
  );

  test(
    verifies("contain:back-pressure", "a worker that takes no results gets no more calls made"),
    async () => {
      const { code, calls } = await attack("slow-reader", { limits: { callsInFlight: 16, wallMs: 5_000 } });
      expect(code).toBe("WORKER_PROTOCOL_VIOLATION");
      expect(calls.length).toBeLessThanOrEqual(32);
    },
  );

  test(
    verifies(
      "contain:hostile-worker",
      "arguments that are no JSON reach the broker as they are, to be refused there",
    ),
    async () => {
      expect(await attack("call-not-json", { limits: { wallMs: 1_000 } })).toMatchObject({
        code: "RUN_TIMEOUT",
        calls: ["count"],
      });
    },
  );
});

describe("the end of a run", () => {
  for (const scenario of ["done-twice", "done-then-call"]) {
    test(
      verifies("contain:hostile-worker", `${scenario}: what comes after the end is not believed`),
      async () => {
        await using bench = await attacked(scenario);
        const { cause } = await bench.run("attacked", "return 1;");
        expect(cause.type).toBe("returned");
        expect(await eventually(() => bench.workers[0]?.alive === false, 5_000)).toBe(true);
        expect(bench.calls).toEqual([]);
        expect((await bench.run("attacked", HONEST)).output).toBe("42");
      },
    );
  }

  for (const scenario of ["done-then-call-later", "done-then-bytes-later", "done-then-stderr"]) {
    test(
      verifies("contain:hostile-worker", `${scenario}: a worker without runs that says anything is killed`),
      async () => {
        await using bench = await attacked(scenario);
        expect((await bench.run("attacked", "return 1;")).cause.type).toBe("returned");
        expect(await eventually(() => bench.workers[0]?.alive === false, 5_000)).toBe(true);
        expect(bench.calls).toEqual([]);
      },
    );
  }

  test(
    verifies("contain:hostile-worker", "a worker that says its isolate is still busy is not used again"),
    async () => {
      await using bench = await attacked("done-not-idle");
      expect((await bench.run("attacked", "return 1;")).cause.type).toBe("returned");
      expect(bench.workers[0]?.alive).toBe(false);
    },
  );

  test(
    verifies("contain:hostile-worker", "prototype keys in the description of an error are dropped"),
    async () => {
      await using bench = await attacked("done-proto-keys");
      const { cause } = await bench.run("attacked", "return 1;");
      expect(cause).toEqual({
        type: "threw",
        syntax: false,
        name: "E",
        message: "m",
        stack: "",
        call: { code: "__proto__", server: "s", tool: "t" },
      });
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );

  test(
    verifies("contain:hostile-worker", "a limit that the worker claims ends its own run only"),
    async () => {
      expect((await attack("limit-claimed")).code).toBe("RUN_CPU_LIMIT");
    },
  );
});

describe("workers that do not answer", () => {
  const silent = ["silent", "stuck", "frame-of-64-mb-claimed"];
  for (const scenario of silent) {
    test(
      verifies(["contain:hostile-worker", "limits:wall"], `${scenario} ends at the wall limit`),
      async () => {
        const { code, calls } = await attack(scenario, { limits: { wallMs: 1_000 } });
        expect(code).toBe("RUN_TIMEOUT");
        expect(calls).toEqual([]);
      },
    );
  }

  test(
    verifies(
      "contain:hostile-worker",
      "a worker that ignores every polite signal is gone when the pool is closed",
    ),
    async () => {
      const bench = await attacked("stuck");
      const run = bench.run("attacked", "return 1;");
      expect(await eventually(() => bench.workers.length === 1, 5_000)).toBe(true);
      const pid = bench.workers[0]?.pid ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 300));
      await bench[Symbol.asyncDispose]();
      expect(isAlive(pid)).toBe(false);
      expect((await run).cause).toMatchObject({ type: "stopped", code: "DISPOSED" });
    },
  );
});

describe("workers that die", () => {
  const signals = [
    "SIGKILL",
    "SIGSEGV",
    "SIGABRT",
    "SIGBUS",
    "SIGILL",
    "SIGFPE",
    "SIGTRAP",
    "SIGUSR2",
  ] as const;
  for (const signal of signals) {
    test(verifies("contain:hostile-worker", `death by ${signal} has a typed end`), async () => {
      expect(constants.signals[signal]).toBeGreaterThan(0);
      const { code } = await attack("signal", { extra: signal });
      expect(code).toMatch(/^(?:RUN_MEMORY_LIMIT|WORKER_CRASHED)$/);
    });
  }

  for (const scenario of ["exit-zero", "exit-three", "channel-closed"]) {
    test(verifies("contain:hostile-worker", `${scenario} reads as a crash, never as a result`), async () => {
      expect((await attack(scenario, { limits: { wallMs: 2_000 } })).code).toMatch(
        /^(?:WORKER_CRASHED|RUN_TIMEOUT)$/,
      );
    });
  }

  test(
    verifies(
      ["contain:hostile-worker", "contain:no-host-text"],
      "what it writes on stderr is told without control characters and paths",
    ),
    async () => {
      const { code, message } = await attack("stderr-garbage");
      expect(code).toBe("WORKER_CRASHED");
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]|secret|\/home/u);
      expect(message.length).toBeLessThan(400);
    },
  );

  for (const scenario of ["dies-before-ready", "violates-before-ready"]) {
    test(verifies("contain:hostile-worker", `${scenario} reads as a failed start`), async () => {
      expect((await attack(scenario)).code).toBe("WORKER_START_FAILED");
    });
  }
});
