// Owns the floor: a bare isolated-vm isolate in a process of its own, without a guest, a broker or containment.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { once } from "node:events";

const PROGRAM = `
  const ivm = require(process.argv[1]);
  const times = [];
  (async () => {
    for (let i = 0; i < 120; i++) {
      const start = performance.now();
      const isolate = new ivm.Isolate({ memoryLimit: 64 });
      const context = await isolate.createContext();
      const script = await isolate.compileScript("6 * 7");
      await script.run(context);
      times.push(performance.now() - start);
      isolate.dispose();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    times.splice(0, 20);
    times.sort((a, b) => a - b);
    console.log(JSON.stringify({ p50: times[50], p95: times[95] }));
  })();
`;

/** Median and 95th percentile of create, run, in ms. The host process of such a design dies with its script. */
export async function measureFloor(): Promise<{ readonly p50: number; readonly p95: number }> {
  const addon = createRequire(import.meta.url).resolve("isolated-vm");
  const child = spawn(process.execPath, ["--no-node-snapshot", "-e", PROGRAM, addon], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  await once(child, "close");
  return JSON.parse(text) as { p50: number; p95: number };
}
