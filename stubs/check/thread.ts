// Owns the checker's thread: the entry of its worker, which answers one request at a time.
import { parentPort } from "node:worker_threads";
import { Pipeline } from "./pipeline.ts";
import type { FromThread, ToThread } from "./thread-port.ts";

const MAX_DETAIL = 300;

const port = parentPort;
if (port === null) throw new Error("stubs/check/thread runs as a worker thread only");
const send = (message: FromThread): void => port.postMessage(message);

const pipeline = new Pipeline();
pipeline.compile("", "error");

port.on("message", (message: ToThread) => {
  if (message.kind === "catalog") {
    pipeline.setCatalog(message.catalog);
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
