// Owns the memory of a gate over many calls and many changes of a list: the heap after collection, at a tenth and at the end.
import { fileURLToPath } from "node:url";
import { createCallgate, type RunStore } from "../../index.ts";

const TOOLS = 100;
const MB = 1_048_576;
/** Records of runs, which are kept for replay up to a bound of their own, are not what is measured. */
const NOTHING_KEPT: RunStore = { create: () => {}, append: () => {}, load: () => undefined, end: () => {} };

/** MB of the heap that a tenth of the work leaves, and that all of it leaves. Needs `--expose-gc`. */
export async function measureGrowth(options: {
  readonly calls: number;
  readonly refreshes: number;
}): Promise<{ readonly early: number; readonly late: number }> {
  const { calls, refreshes } = options;
  await using gate = await createCallgate({
    servers: {
      local: {
        command: process.execPath,
        args: [fileURLToPath(new URL("server.mjs", import.meta.url)), "stdio", String(TOOLS)],
      },
    },
    policy: { default: "allow" },
    store: NOTHING_KEPT,
  });
  const perRefresh = Math.round(calls / refreshes);
  // Each run ends with a changed list, which the next one reads.
  const script = `
    for (let at = 1; at < ${perRefresh}; at += 1) await local.echo({ id: String(at) });
    await local.announce({});
    return "done";`;
  let early = 0;
  for (let round = 1; round <= refreshes; round += 1) {
    const { output, error } = await gate.run(script, { limits: { calls: perRefresh + 1, wallMs: 120_000 } });
    if (output !== "done") throw new Error(`${error?.code}: ${error?.message}`);
    if (round === Math.ceil(refreshes / 10)) early = heap();
  }
  return { early, late: heap() };
}

function heap(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / MB;
}
