// Workers as the system sees them: whose runs they serve, when they are reused, when they are gone.
import { expect, test } from "vitest";
import type { CallgateError, RunResult } from "../../index.ts";
import { childrenOf, eventually, isAlive, residentMb } from "../escape/children.ts";
import { verifies } from "../requirements.ts";
import { openGate } from "./opened.ts";

const off = { check: "off" } as const;
const WAIT = 10_000;

/** How a run ended in one word, whether it was told or thrown. */
async function ending(run: Promise<RunResult>): Promise<string> {
  try {
    const { error, output } = await run;
    return error?.code ?? output;
  } catch (error) {
    return (error as CallgateError).code;
  }
}

/** The worker processes while `work` is under way. */
async function served(work: Promise<unknown>): Promise<ReadonlySet<number>> {
  const seen = new Set<number>();
  const watch = setInterval(() => childrenOf().forEach((pid) => seen.add(pid)), 5);
  await work;
  clearInterval(watch);
  return seen;
}

test(verifies("pool:reuse", "runs of one principal reuse a worker while they end cleanly"), async () => {
  await using opened = await openGate({ sandbox: { workers: 1 } });
  const { gate } = opened;
  await gate.run("return 1;", off);
  const [first] = childrenOf();
  for (let turn = 0; turn < 20; turn += 1) expect((await gate.run("return 1;", off)).output).toBe("1");
  await gate.run("throw new Error('x');", off);
  expect(childrenOf()).toEqual([first]);
});

test(verifies("pool:reuse", "a worker is retired after its number of clean runs"), async () => {
  await using opened = await openGate({ sandbox: { workers: 1, cleanRuns: 5 } });
  const seen = await served(
    (async () => {
      for (let turn = 0; turn < 12; turn += 1) await opened.gate.run("await own.echo({}); return 1;", off);
    })(),
  );
  expect(seen.size).toBeGreaterThanOrEqual(3);
});

test(
  verifies("pool:principals", "two principals never share a worker, at one time or one after the other"),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    const { gate } = opened;
    await gate.run("return 1;", { ...off, principal: "one" });
    const ones = childrenOf();
    const other = gate.run("return 2;", { ...off, principal: "two" });
    expect((await other).output).toBe("2");
    expect(ones.some(isAlive)).toBe(false);
  },
);

test(
  verifies("pool:principals", "a principal that never leaves its workers cannot keep another one waiting"),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    const { gate } = opened;
    let over = false;
    const busy = [1, 2, 3].map(async () => {
      while (!over) await gate.run("await own.wait({ ms: 20 }); return 1;", { ...off, principal: "busy" });
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const other = await gate.run("return 2;", { ...off, principal: "other" });
    over = true;
    await Promise.all(busy);
    expect(other.output).toBe("2");
  },
);

test(verifies("pool:isolation", "with isolation by process every run has a worker of its own"), async () => {
  await using opened = await openGate({ sandbox: { workers: 2, isolation: "process" } });
  const seen = await served(
    (async () => {
      for (let turn = 0; turn < 4; turn += 1) {
        expect((await opened.gate.run("await own.wait({ ms: 20 }); return 3;", off)).output).toBe("3");
      }
    })(),
  );
  expect(seen.size).toBeGreaterThanOrEqual(4);
});

test(
  verifies("pool:queue", "a full queue refuses with RUN_QUEUE_FULL, and those in it are served"),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1, runsPerWorker: 1, queue: 2 } });
    const { gate } = opened;
    const ends: string[] = [];
    const runs = Array.from({ length: 6 }, async () => {
      ends.push(await ending(gate.run("return (await own.held({ n: 1 })).n;", off)));
    });
    expect(await eventually(() => ends.length === 3, WAIT)).toBe(true);
    expect(ends).toEqual(["RUN_QUEUE_FULL", "RUN_QUEUE_FULL", "RUN_QUEUE_FULL"]);
    const letGo = setInterval(() => opened.release(), 20);
    await Promise.all(runs);
    clearInterval(letGo);
    expect(ends.slice(3)).toEqual(["1", "1", "1"]);
  },
);

test(verifies("pool:many", "two hundred runs at once all end, each with its own result"), async () => {
  await using opened = await openGate();
  const { gate } = opened;
  const script = "const { n } = await own.echo({ n: Math.random() }); await sleep(1); return typeof n;";
  await gate.run(script, off);
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, n) => gate.run(script, { ...off, principal: `p${n % 3}` })),
  );
  expect(new Set(results.map(({ output, error }) => error?.code ?? output))).toEqual(new Set(["number"]));
});

test(
  verifies("pool:abort", "an aborted run ends with RUN_ABORTED, its worker with it, and the next run works"),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    const { gate } = opened;
    await gate.run("return 1;", off);
    const before = childrenOf();
    const abort = new AbortController();
    const run = gate.run("await own.mark({ name: 'began' }); for (;;);", { ...off, signal: abort.signal });
    expect(await eventually(() => opened.marks.size > 0, WAIT)).toBe(true);
    abort.abort();
    expect((await run).error?.code).toBe("RUN_ABORTED");
    expect(await eventually(() => !before.some(isAlive), WAIT)).toBe(true);
    expect((await gate.run("return 7;", off)).output).toBe("7");
  },
);

test(verifies("pool:abort", "a run aborted while it waits for a worker never starts"), async () => {
  await using opened = await openGate({ sandbox: { workers: 1, runsPerWorker: 1 } });
  const { gate } = opened;
  const script = "return await own.mark({ name: 'runs' });";
  await gate.run(script, off);
  const first = gate.run("await own.mark({ name: 'first' }); return await own.held({});", off);
  expect(await eventually(() => opened.marks.has("first"), WAIT)).toBe(true);
  const abort = new AbortController();
  const second = gate.run(script, { ...off, signal: abort.signal });
  await new Promise((resolve) => setTimeout(resolve, 200));
  abort.abort();
  expect(await ending(second)).toBe("RUN_ABORTED");
  opened.release();
  await first;
  expect(opened.marks.get("runs")).toBe(1);
});

test(
  verifies(
    "pool:dispose",
    "closing the gate ends running and waiting runs with DISPOSED and leaves no process",
  ),
  async () => {
    const opened = await openGate({ sandbox: { workers: 2, runsPerWorker: 1 } });
    const { gate } = opened;
    await gate.run("return 1;", off);
    const runs = [
      gate.run("await own.mark({ name: 'a' }); for (;;);", off),
      gate.run("await own.mark({ name: 'b' }); await new Promise(() => {});", off),
    ];
    expect(await eventually(() => opened.marks.size === 2, WAIT)).toBe(true);
    runs.push(gate.run("return 1;", off));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await gate[Symbol.asyncDispose]();
    expect(await Promise.all(runs.map(ending))).toEqual(["DISPOSED", "DISPOSED", "DISPOSED"]);
    expect(childrenOf()).toEqual([]);
    await expect(gate.run("return 1;")).rejects.toMatchObject({ code: "DISPOSED" });
  },
);

test(
  verifies("pool:dispose", "closing at once, before the first worker is ready, leaves no process"),
  async () => {
    const opened = await openGate();
    await opened.gate[Symbol.asyncDispose]();
    expect(childrenOf()).toEqual([]);
  },
);

test(verifies("pool:memory", "a worker's memory does not grow with its runs"), async () => {
  await using opened = await openGate({ sandbox: { workers: 1, cleanRuns: 1_000 } });
  const { gate } = opened;
  const script =
    "const rows = Array.from({ length: 500 }, (_, i) => ({ i, t: 'x'.repeat(20) })); await own.echo({ rows }); return rows.length;";
  const sizes: number[] = [];
  for (let turn = 1; turn <= 500; turn += 1) {
    await gate.run(script, off);
    if (turn % 100 === 0) sizes.push(residentMb(childrenOf()[0] ?? 0));
  }
  const [, second = 0] = sizes;
  expect(sizes.at(-1), `MB at every hundredth run: ${sizes.map(Math.round).join(", ")}`).toBeLessThan(
    second + 25,
  );
});
