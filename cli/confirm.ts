// Owns a yes-or-no question to the person at the terminal.
import { createInterface } from "node:readline/promises";
import { raced } from "./interrupt.ts";
import type { Session } from "./open-gate.ts";
import { dropTypedAhead } from "./prompt.ts";
import { render } from "./text/styled.ts";
import type { World } from "./world.ts";

/** Whether there is somebody to ask. */
export function canAsk({ stdin, stderr }: Pick<World, "stdin" | "stderr">): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Only y and yes are a yes. What was typed before the question was shown is no answer, nor is the end of input. */
export async function confirmed(
  session: Pick<Session, "world" | "interrupt">,
  question: string,
): Promise<boolean> {
  return /^\s*y(?:es)?\s*$/i.test(await answered(session, `${question} [y/n] `));
}

/** What is typed in answer; empty at the end of input. Rejects on a signal. */
export async function answered(
  { world, interrupt }: Pick<Session, "world" | "interrupt">,
  question: string,
): Promise<string> {
  const { stdin: input, stderr: output } = world;
  await dropTypedAhead({ input, interrupt: () => interrupt.raise("SIGINT") }, interrupt.signal);
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  lines.on("SIGINT", () => interrupt.raise("SIGINT"));
  const closed = new Promise<string>((resolve) => lines.on("close", () => resolve("")));
  try {
    const asked = lines.question(render(question, false), { signal: interrupt.signal });
    return await raced(Promise.race([asked, closed]), interrupt.signal);
  } finally {
    lines.close();
    input.pause();
  }
}
