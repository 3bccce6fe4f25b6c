// Owns the checker's thread: the entry of its worker, which answers one request at a time.
import { parentPort } from "node:worker_threads";
import { checkedTools } from "./checked-tools.ts";
import { Pipeline } from "./pipeline.ts";
import type { FromThread, ToThread } from "./thread-port.ts";

const MAX_DETAIL = 300;

const port = parentPort;
if (port === null) throw new Error("stubs/check/thread runs as a worker thread only");
const send = (message: FromThread): void => port.postMessage(message);

// What most scripts use, so that the first real one does not pay for resolving it.
const TYPICAL = `
const seen = new Map<string, number>();
try {
  for (const [name, items] of await Promise.all(["a", "b"].map(async (x) => [x, [1, 2]] as const))) {
    seen.set(name, (seen.get(name) ?? 0) + items.filter((n) => n > 1).reduce((a, b) => a + b, 0));
  }
} catch (e) {
  if (e instanceof ToolError) console.log(e.code, e.message, JSON.stringify(e));
}
const top = [...seen].sort((a, b) => b[1] - a[1]).slice(0, 3);
console.log(\`\${top.map(([k]) => k.toLowerCase().split("/").at(-1)).join(", ")} \${Object.entries({ a: 1 }).length}\`);
return { top, at: new Date().toISOString() };`;

const pipeline = new Pipeline();
pipeline.compile(TYPICAL, "error");

// A new catalog is parsed while nobody waits, once the last of several has come.
let idle: NodeJS.Immediate | undefined;
function parseCatalogWhenIdle(): void {
  idle = setImmediate(() => {
    try {
      pipeline.compile(TYPICAL, "error");
    } catch {
      // The next script meets the same failure, and its caller is told.
    }
  });
}

port.on("message", (message: ToThread) => {
  clearImmediate(idle);
  if (message.kind === "catalog") {
    const { catalog } = message;
    pipeline.setCatalog("named" in catalog ? checkedTools(catalog) : catalog);
    send({ kind: "ready" });
    parseCatalogWhenIdle();
    return;
  }
  try {
    send({ kind: "result", id: message.id, result: pipeline.compile(message.script, message.check) });
  } catch (error) {
    const nesting = error instanceof RangeError;
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, MAX_DETAIL);
    send({
      kind: "failed",
      id: message.id,
      stage: pipeline.stage,
      reason: nesting ? "nesting" : "fault",
      detail,
    });
  }
});
send({ kind: "ready" });
