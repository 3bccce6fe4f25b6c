// How calls of local functions end: limits, cancellation, disposal.
import { expect, test } from "vitest";
import { createLocalUpstream, type LocalTool } from "../../../broker/upstream/local.ts";
import type { Upstream } from "../../../broker/upstream/upstream.ts";
import { toCallValue } from "../../../broker/upstream/value.ts";
import { verifies } from "../../requirements.ts";
import { ask, createManualClock, names, never, thrown, toolOf } from "./support.ts";

const anything = { type: "object" } as const;
const local = (tools: Record<string, LocalTool>): Upstream => createLocalUpstream("local", tools);
const returning = (value: () => unknown): Upstream =>
  local({ t: { description: "", input: anything, run: value } });

test(verifies("upstream:timeout", "a local call ends at its limit, and the function is told"), async () => {
  const clock = createManualClock();
  let told: AbortSignal | undefined;
  const upstream = createLocalUpstream(
    "local",
    {
      t: {
        description: "",
        input: anything,
        run: (_input, { signal }) => ((told = signal), new Promise(() => {})),
      },
    },
    { clock },
  );
  const failure = thrown(ask(upstream, "t", {}, { timeoutMs: 1_000 }));
  await Promise.resolve();
  clock.advance(999);
  expect(told?.aborted).toBe(false);
  clock.advance(1);
  expect(await failure).toMatchObject({
    code: "CALL_TIMEOUT",
    message: "local.t gave no answer within 1000 ms",
    data: { server: "local", tool: "t", sent: true },
  });
  expect(told?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test(
  verifies("upstream:progress", "progress of a local function is passed on and extends its limit"),
  async () => {
    const clock = createManualClock();
    const seen: unknown[] = [];
    let progress: ((done: number, total?: number, message?: string) => void) | undefined;
    const finish = Promise.withResolvers<string>();
    const upstream = createLocalUpstream(
      "local",
      {
        t: {
          description: "",
          input: anything,
          run: (_input, context) => ((progress = context.progress), finish.promise),
        },
      },
      { clock },
    );
    const call = upstream.call(
      toolOf("t"),
      {},
      { signal: never, timeoutMs: 100, onProgress: (p) => seen.push(p) },
    );
    await Promise.resolve();
    for (const step of [1, 2, 3]) {
      clock.advance(90);
      progress?.(step, 3, `step ${step}`);
    }
    finish.resolve("done");
    expect(toCallValue(await call)).toBe("done");
    expect(seen).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })));
    progress?.(4);
    expect(seen).toHaveLength(3);
  },
);

test(
  verifies("upstream:cancel", "a cancelled local call ends at once, and late failures of it harm nobody"),
  async () => {
    const abort = new AbortController();
    const late = Promise.withResolvers<never>();
    const upstream = returning(() => late.promise);
    const failure = thrown(ask(upstream, "t", {}, { signal: abort.signal }));
    await Promise.resolve();
    abort.abort();
    expect(await failure).toMatchObject({ code: "CALL_CANCELLED", data: { sent: true } });
    late.reject(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
  },
);

test(verifies("upstream:cancel", "a call cancelled before it began never runs the function"), async () => {
  let calls = 0;
  const failure = await thrown(
    ask(
      returning(() => (calls += 1)),
      "t",
      {},
      { signal: AbortSignal.abort() },
    ),
  );
  expect(failure).toMatchObject({ code: "CALL_CANCELLED", data: { sent: false } });
  expect(calls).toBe(0);
});

test(verifies("upstream:unknown-tool", "a local tool that does not exist is a tool error"), async () => {
  for (const name of ["missing", "constructor", "__proto__"]) {
    const failure = await thrown(
      ask(
        returning(() => 1),
        name,
      ),
    );
    expect(failure).toMatchObject({ code: "CALL_TOOL_ERROR", data: { unknownTool: true, sent: false } });
  }
});

test(
  verifies("upstream:local", "after disposing nothing can be called, and running calls are cancelled"),
  async () => {
    const upstream = returning(() => new Promise(() => {}));
    expect(upstream.status()).toEqual({ server: "local", state: "ready", notes: [] });
    const running = thrown(ask(upstream, "t"));
    await Promise.resolve();
    await upstream[Symbol.asyncDispose]();
    expect((await running).code).toBe("CALL_CANCELLED");
    expect((await thrown(ask(upstream, "t"))).code).toBe("DISPOSED");
    expect((await thrown(names(upstream))).code).toBe("DISPOSED");
    expect(upstream.status().state).toBe("closed");
  },
);
