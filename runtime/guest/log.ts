// Owns the lines a script logs until they leave the isolate: counted, and batched when there are many.
import type { Send } from "./powers.ts";

export interface Log {
  setBudget(bytes: number): void;
  add(text: string): void;
  /** Sends what is held back; called before each event and at the end. */
  flush(): void;
}

/** Counted for every line besides its text, so that a flood of empty lines ends too. */
const LINE_UNITS = 64;
/** Lines sent at once between two events, so that they are seen even if the script then never yields. */
const PROMPT_LINES = 64;
const BATCH_UNITS = 16_384;
const BATCH_LINES = 1_000;

export function createLog(send: Send): Log {
  let budget = 0;
  let prompt = 0;
  let held = "";
  let heldLines = 0;
  let over = false;

  function flush(): void {
    if (heldLines > 0) send("log", 0, held, "", "", 0);
    held = "";
    heldLines = 0;
  }

  return {
    setBudget(bytes) {
      budget = bytes;
    },
    add(text) {
      if (over) return;
      budget -= text.length + LINE_UNITS;
      if (budget < 0) {
        over = true;
        flush();
        send("limit", 0, "RUN_OUTPUT_LIMIT", "", "", 0);
        return;
      }
      if (prompt < PROMPT_LINES) {
        prompt += 1;
        send("log", 0, text, "", "", 0);
        return;
      }
      // Security: each message waits in the worker until its thread comes to it; a flood must not become a queue.
      held = heldLines === 0 ? text : `${held}\n${text}`;
      heldLines += 1;
      if (held.length >= BATCH_UNITS || heldLines >= BATCH_LINES) flush();
    },
    flush() {
      prompt = 0;
      flush();
    },
  };
}
