// Two runs of one principal share a worker; one of them ends it. The other moves, and nobody can tell from its result.
import { expect, test } from "vitest";
import { childrenOf, eventually, isAlive } from "../escape/children.ts";
import { verifies } from "../requirements.ts";
import { openGate, type Opened } from "./opened.ts";

const WAIT = 15_000;
/** Calls done, calls in flight, timers pending and gone, random numbers and time, at the moment the worker dies. */
const INNOCENT = `
const seen = [await own.mark({ name: "first" })];
const before = Math.random();
const cleared = setTimeout(() => seen.push("cleared"), 1);
clearTimeout(cleared);
setTimeout(() => seen.push("timer"), 30);
const held = own.held({ n: 5 });
const failed = own.fail({ message: "as it must" }).catch((error) => error.code);
const [slow, code] = await Promise.all([own.wait({ ms: 250 }), failed]);
seen.push(slow, code, await own.mark({ name: "second" }));
console.log("half way", before === Math.random());
const result = await Promise.race([held, sleep(60_000)]);
await sleep(5);
seen.push(result.n, await own.mark({ name: "third" }), Date.now() > 1_700_000_000_000);
return seen.join();`;
const EXPECTED = "half way false\n1,timer,250,CALL_TOOL_ERROR,1,5,1,true";

const GUILTY: Readonly<Record<string, string>> = {
  "its heap": "const kept = []; for (;;) kept.push({ at: kept.length });",
  "memory at once, which does not name it": "return new Array(400_000_000).fill(1.5).length;",
  "memory beside the heap":
    "const kept = []; for (;;) try { kept.push(new Uint8Array(1 << 24).fill(1)); } catch {}",
  "its CPU time": "for (;;);",
  "its wall time": "await new Promise(() => {});",
  "its output": "for (;;) console.log('flood');",
};

async function beside(opened: Opened, guilty: string): Promise<string> {
  const run = opened.gate.run(INNOCENT, { check: "off" });
  expect(await eventually(() => opened.marks.get("first") === 1, WAIT)).toBe(true);
  const pids = childrenOf();
  const limits = { cpuMs: 200, wallMs: 700, memoryMb: 64, logBytes: 50_000 };
  const { error } = await opened.gate.run(guilty, { check: "off", limits });
  expect(error?.code).toMatch(/^RUN_/);
  expect(await eventually(() => !pids.some(isAlive), WAIT)).toBe(true);
  expect(await eventually(() => opened.marks.get("second") === 1, WAIT)).toBe(true);
  opened.release();
  const result = await run;
  expect(result.error).toBeUndefined();
  // Each call reached its tool once, whatever the worker that asked for it.
  expect([...opened.marks]).toEqual([
    ["first", 1],
    ["second", 1],
    ["third", 1],
  ]);
  expect(result.calls.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
    "mark ok",
    "held ok",
    "fail error",
    "wait ok",
    "mark ok",
    "mark ok",
  ]);
  return result.output;
}

for (const [what, script] of Object.entries(GUILTY)) {
  test(verifies("contain:moves", `a run goes on elsewhere when another one spends ${what}`), async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    expect(await beside(opened, script)).toBe(EXPECTED);
  });
}

test(
  verifies(
    "contain:moves",
    "a run moved by one guilty run after another is served alone at last, and completes",
  ),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    const run = opened.gate.run(INNOCENT, { check: "off" });
    expect(await eventually(() => opened.marks.get("first") === 1, WAIT)).toBe(true);
    const guilty = async (): Promise<string | undefined> => {
      const limits = { cpuMs: 50 };
      return (await opened.gate.run("for (;;);", { check: "off", limits })).error?.code;
    };
    expect([await guilty(), await guilty()]).toEqual(["RUN_CPU_LIMIT", "RUN_CPU_LIMIT"]);
    const more = [guilty(), guilty(), guilty()];
    const letGo = setInterval(() => opened.release(), 50);
    const result = await run;
    clearInterval(letGo);
    expect(result.output).toBe(EXPECTED);
    expect(opened.marks.get("third")).toBe(1);
    expect(await Promise.all(more)).toEqual(["RUN_CPU_LIMIT", "RUN_CPU_LIMIT", "RUN_CPU_LIMIT"]);
  },
);

test(
  verifies("contain:moves", "an abort of one run leaves the others of its worker as they are"),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    const run = opened.gate.run(INNOCENT, { check: "off" });
    expect(await eventually(() => opened.marks.get("first") === 1, WAIT)).toBe(true);
    const abort = new AbortController();
    const aborted = opened.gate.run("await own.mark({ name: 'aborted' }); await sleep(60_000);", {
      check: "off",
      signal: abort.signal,
    });
    expect(await eventually(() => opened.marks.get("aborted") === 1, WAIT)).toBe(true);
    abort.abort();
    expect((await aborted).error?.code).toBe("RUN_ABORTED");
    expect(await eventually(() => opened.marks.get("second") === 1, WAIT)).toBe(true);
    opened.release();
    expect((await run).output).toBe(EXPECTED);
  },
);
