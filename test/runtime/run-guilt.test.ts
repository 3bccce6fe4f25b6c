// Who pays when a worker dies: never a run that only came after, or beside, the one that spent the memory.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { attacked } from "./attacked.ts";
import { openGate } from "./opened.ts";

const HOGS: readonly string[] = [
  "const kept = []; try { for (;;) kept.push(new Uint8Array(1 << 23).fill(1)); } catch { return 'refused'; }",
  "const one = new ArrayBuffer(1 << 20, { maxByteLength: 2 ** 31 - 1 }); try { for (let size = 1 << 22; ; size += 1 << 22) { one.resize(size); new Uint8Array(one).fill(1, size - (1 << 22)); } } catch { return 'refused'; }",
];

test(
  verifies(
    ["contain:guilt", "limits:memory"],
    "a run after one that took all memory and let go of it is not charged for it",
  ),
  async () => {
    await using opened = await openGate({ sandbox: { workers: 1 } });
    for (let turn = 0; turn < 4; turn += 1) {
      for (const hog of HOGS) {
        await opened.gate.run(hog, { check: "off", limits: { cpuMs: 5_000 } });
        const next = await opened.gate.run("return 6 * 7;", { check: "off" });
        expect([next.output, next.error?.code]).toEqual(["42", undefined]);
      }
    }
  },
);

test(
  verifies(
    "contain:guilt",
    "a run whose worker dies without a cause goes on in a fresh one; its calls are not made again",
  ),
  async () => {
    await using bench = await attacked("exit-later", "", 1);
    // The attacker ends its first run well and dies under its second.
    expect((await bench.run("one", "return 1;")).cause.type).toBe("returned");
    const end = await bench.run("one", "return (await own.count({})) + 1;");
    expect(end.cause).toEqual({ type: "returned" });
    expect(bench.calls).toEqual(["own.count-raw"]);
    expect(bench.workers.length).toBe(2);
  },
);

test(verifies("contain:guilt", "a run that kills every worker it is given is told so"), async () => {
  await using bench = await attacked("exit-zero", "", 10);
  const { cause } = await bench.run("one", "return 1;");
  expect(cause).toMatchObject({ type: "stopped", code: "WORKER_CRASHED" });
  expect(bench.workers.length).toBeLessThanOrEqual(3);
});
