// Each limit of contract/limits.ts ends or bounds a run as it says, with its own code, and is reported.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, createCallgate, type RunLimits, type RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { openGate, type Opened } from "../runtime/opened.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await openGate({ limits: { wallMs: 30_000 } });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

function run(script: string, limits: Partial<RunLimits> = {}): Promise<RunResult> {
  return opened.gate.run(script, { check: "off", limits });
}

describe("what a limit does", () => {
  test(verifies("limits:wall", "wallMs ends a run that waits, whatever it waits for"), async () => {
    for (const wait of ["new Promise(() => {})", "sleep(100_000)", "own.wait({ ms: 100_000 })"]) {
      const { error, usage } = await run(`await ${wait};`, { wallMs: 300 });
      expect(error?.code).toBe("RUN_TIMEOUT");
      expect(error?.message).toContain("300 ms (limit wallMs)");
      expect(usage.wallMs).toBeGreaterThanOrEqual(299);
    }
  });

  test(verifies("limits:cpu", "cpuMs ends a run that computes, and leaves out what it waits"), async () => {
    const { error, usage } = await run("for (;;);", { cpuMs: 100 });
    expect(error?.code).toBe("RUN_CPU_LIMIT");
    expect(usage.cpuMs).toBeGreaterThanOrEqual(100);
    const waits = await run("await own.wait({ ms: 400 }); await sleep(200); return 'done';", { cpuMs: 300 });
    expect(waits.output).toBe("done");
    expect(waits.usage.cpuMs).toBeLessThan(300);
    expect(waits.usage.wallMs).toBeGreaterThanOrEqual(600);
  });

  test(verifies("limits:memory", "memoryMb ends a run that keeps too much"), async () => {
    const { error } = await run("const kept = []; for (;;) kept.push({ a: kept.length });", { memoryMb: 32 });
    expect(error?.code).toBe("RUN_MEMORY_LIMIT");
    expect(error?.message).toContain("32 MB");
  });

  test(
    verifies("limits:memory", "a run may be given more memory than the gate gives, and has it"),
    async () => {
      const keep = (mb: number): string =>
        `const kept = []; for (let n = 0; n < ${mb}; n++) kept.push(new Array(131_072).fill(n + 0.5)); return kept.length;`;
      expect((await run(keep(150))).error?.code).toBe("RUN_MEMORY_LIMIT");
      expect((await run(keep(150), { memoryMb: 256 })).output).toBe("150");
      expect((await run("return 1;", { memoryMb: 3_000 })).output).toBe("1");
      expect((await run("return 1;", { memoryMb: 16 })).output).toBe("1");
    },
  );

  test(
    verifies("limits:calls", "calls bounds the calls of a run; the one over it ends the run unmade"),
    async () => {
      const script = (count: number): string =>
        `for (let n = 0; n < ${count}; n++) await own.mark({ name: 'over${count}' }); return 'all';`;
      expect((await run(script(5), { calls: 5 })).output).toBe("all");
      const { error, calls, usage } = await run(script(6), { calls: 5 });
      expect(error?.code).toBe("RUN_CALL_LIMIT");
      expect(opened.marks.get("over6")).toBe(5);
      expect(calls).toHaveLength(5);
      expect(usage.calls).toBe(5);
      expect((await run("await own.mark({ name: 'none' });", { calls: 0 })).error?.code).toBe(
        "RUN_CALL_LIMIT",
      );
      expect(opened.marks.get("none")).toBeUndefined();
    },
  );

  test(
    verifies(
      "limits:in-flight",
      "five thousand calls at once all succeed, no more at one time than callsInFlight",
    ),
    async () => {
      const script =
        "const all = await Promise.all(Array.from({ length: 5_000 }, (_, n) => own.echo({ n }))); return all.every(({ n }, at) => n === at) && all.length;";
      const { output, error, usage } = await run(script, { callsInFlight: 16 });
      expect(error).toBeUndefined();
      expect(output).toBe("5000");
      expect(usage).toMatchObject({ calls: 5_000 });
      expect(usage.maxCallsInFlight).toBeLessThanOrEqual(16);
    },
  );

  test(verifies("limits:in-flight", "callsInFlight is what the tool sees at one time"), async () => {
    const script =
      "return (await Promise.all(Array.from({ length: 40 }, () => own.wait({ ms: 5 })))).length;";
    const { output, usage } = await run(script, { callsInFlight: 7 });
    expect(output).toBe("40");
    expect(usage.maxCallsInFlight).toBe(7);
    expect(opened.maxWaiting()).toBe(7);
  });

  test(
    verifies("limits:in-flight", "many calls with large arguments wait for each other, and all are made"),
    async () => {
      const script =
        "const text = 'x'.repeat(1_000_000); return (await Promise.all(Array.from({ length: 40 }, (_, n) => own.echo({ n, text })))).every((one, n) => one.n === n);";
      const { output, usage } = await run(script, { callsInFlight: 2 });
      expect(output).toBe("true");
      expect(usage.maxCallsInFlight).toBeLessThanOrEqual(2);
    },
  );

  test(
    verifies("limits:call-timeout", "callTimeoutMs fails the call with CALL_TIMEOUT, and the script goes on"),
    async () => {
      const script = "try { await own.wait({ ms: 5_000 }); } catch (error) { return error.code; }";
      expect((await run(script, { callTimeoutMs: 100 })).output).toBe("CALL_TIMEOUT");
    },
  );

  test(
    verifies(
      "limits:arguments",
      "argumentBytes refuses the call; also when only its bytes are over the limit",
    ),
    async () => {
      const script =
        "const out = []; for (const text of ['x'.repeat(80), 'x'.repeat(200), '\\u20ac'.repeat(60)]) { try { await own.echo({ text }); out.push('ok'); } catch (error) { out.push(error.code); } } return out.join();";
      expect((await run(script, { argumentBytes: 100 })).output).toBe(
        "ok,CALL_INVALID_ARGUMENTS,CALL_INVALID_ARGUMENTS",
      );
    },
  );

  test(
    verifies(
      "limits:result",
      "resultBytes fails the call with CALL_INVALID_RESULT, and says that it was made",
    ),
    async () => {
      const script =
        "try { await own.echo({ text: 'x'.repeat(500) }); } catch (error) { return error.code + ' ' + error.message; }";
      const { output } = await run(script, { resultBytes: 300 });
      expect(output).toContain("CALL_INVALID_RESULT");
      expect(output).toContain("The call was made");
    },
  );

  test(
    verifies("limits:output", "outputBytes cuts the middle of what is returned, and says so first"),
    async () => {
      const { status, output, outputTruncated, usage } = await run(
        "for (let n = 0; n < 1_000; n++) console.log('line ' + n);",
        { outputBytes: 400 },
      );
      expect(status).toBe("completed");
      expect(outputTruncated).toBe(true);
      expect(output).toMatch(/^\[output cut: \d+ of \d+ bytes/);
      expect(output).toContain("line 0\n");
      expect(output.endsWith("line 999")).toBe(true);
      expect(Buffer.byteLength(output)).toBeLessThan(400 + 200);
      expect(usage.loggedBytes).toBeGreaterThan(8_000);
    },
  );

  test(
    verifies("limits:log", "logBytes ends a run that logs without end, and what it logged is kept"),
    async () => {
      const { error, output } = await run("for (let n = 0; ; n++) console.log('line ' + n);", {
        logBytes: 10_000,
      });
      expect(error?.code).toBe("RUN_OUTPUT_LIMIT");
      expect(output).toMatch(/^line 0\nline 1\n/);
    },
  );

  test(verifies("limits:script", "scriptBytes refuses a script before anything reads it"), async () => {
    const { error, usage } = await run("return 1; // " + "\u20ac".repeat(100), { scriptBytes: 300 });
    expect(error?.code).toBe("SCRIPT_TOO_LARGE");
    expect(usage.limits.scriptBytes).toBe(300);
  });

  test(
    verifies("limits:timers", "timers bounds timers started, not only those pending; the one over it throws"),
    async () => {
      const script = (count: number): string =>
        `for (let n = 0; n < ${count}; n++) clearTimeout(setTimeout(() => {}, 0)); return 'all';`;
      expect((await run(script(10), { timers: 10 })).output).toBe("all");
      const { error, usage } = await run(script(11), { timers: 10 });
      expect(error).toMatchObject({ code: "SCRIPT_THREW", name: "RangeError" });
      expect(error?.message).toContain("limit timers");
      expect(usage.timers).toBe(10);
    },
  );
});

describe("how limits are given", () => {
  test(
    verifies("limits:reported", "every limit is reported, also of a script that was not run"),
    async () => {
      const limits = { wallMs: 12_345, cpuMs: 1_234, calls: 77 };
      const expected = { ...DEFAULT_LIMITS, ...limits };
      expect((await run("return 1;", limits)).usage.limits).toEqual(expected);
      expect((await run("return (", limits)).usage.limits).toEqual(expected);
      expect(Object.keys(DEFAULT_LIMITS)).toHaveLength(14);
    },
  );

  test(
    verifies("limits:reported", "limits of the gate hold for every run, and a run's own win over them"),
    async () => {
      expect((await run("return 1;")).usage.limits).toEqual({ ...DEFAULT_LIMITS, wallMs: 30_000 });
      expect((await run("return 1;", { wallMs: 5_000 })).usage.limits.wallMs).toBe(5_000);
    },
  );

  test(
    verifies("limits:invalid", "a limit that is none is refused with CONFIG_INVALID and its name"),
    async () => {
      const wrong: readonly Record<string, unknown>[] = [
        { wallMs: 0 },
        { wallMs: -1 },
        { cpuMs: 1.5 },
        { calls: "10" },
        { memoryMb: 8 },
        { timers: Number.NaN },
        { logBytes: Number.POSITIVE_INFINITY },
        { callsInFlight: 0 },
        { callMs: 10 },
        { ["__proto__x"]: 1 },
      ];
      for (const limits of wrong) {
        const name = Object.keys(limits)[0] ?? "";
        const expected = { code: "CONFIG_INVALID", message: expect.stringContaining(`limits.${name}`) };
        await expect(run("return 1;", limits)).rejects.toMatchObject(expected);
        await expect(createCallgate({ limits })).rejects.toMatchObject(expected);
      }
      await expect(createCallgate({ limits: [] as never })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    },
  );
});

test(verifies("limits:wall", "the wall clock stands still while a person is asked"), async () => {
  await using asking = await openGate({
    policy: { default: "ask" },
    approve: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return { decision: "allow" };
    },
  });
  const script = "await Promise.all([own.echo({}), own.echo({})]); return 'done';";
  const { output, error } = await asking.gate.run(script, { check: "off", limits: { wallMs: 1_200 } });
  expect(error).toBeUndefined();
  expect(output).toBe("done");
  const late = await asking.gate.run("await own.echo({}); await sleep(60_000);", {
    check: "off",
    limits: { wallMs: 1_200 },
  });
  expect(late.error?.code).toBe("RUN_TIMEOUT");
});
