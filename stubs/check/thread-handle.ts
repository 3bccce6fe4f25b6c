// Owns one worker thread of the checker: its start, its limits and its end.
import { Worker } from "node:worker_threads";
import type { FromThread, ToThread } from "./thread-port.ts";

export interface ThreadEvents {
  readonly message: (message: FromThread) => void;
  /** The thread has ended by itself; `error` is its uncaught error, if that was why. */
  readonly ended: (error: Error | undefined) => void;
}

/** `hold` keeps the process alive while something waits for the thread; without it the thread never does. */
export interface Thread {
  readonly post: (message: ToThread) => void;
  readonly hold: (held: boolean) => void;
  readonly kill: () => Promise<void>;
}

export type StartThread = (events: ThreadEvents) => Thread;

// The same file as this one's: `.ts` unbuilt, `.js` in dist.
const ENTRY = new URL(`./thread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** Starts a thread that knows no tools yet. */
export const startThread: StartThread = (events) => {
  const worker = new Worker(ENTRY, {
    name: "callgate-check",
    // Security: the thread parses hostile text; it gets no environment, no arguments and a heap of its own size.
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  worker.unref();
  let over = false;
  const end = (error: Error | undefined): void => {
    if (over) return;
    over = true;
    events.ended(error);
  };
  worker.on("message", (message: FromThread) => {
    if (!over) events.message(message);
  });
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => end(undefined));
  return {
    post: (message) => worker.postMessage(message),
    hold: (held) => (held ? worker.ref() : worker.unref()),
    kill: async () => {
      over = true;
      await worker.terminate();
    },
  };
};
