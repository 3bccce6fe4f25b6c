// Owns progress notifications of one request: strictly rising, at most one in 50 ms.
import type { RunProgress } from "../index.ts";
import { visibleLine } from "./visible.ts";

export interface ProgressReport extends Disposable {
  update(progress: RunProgress): void;
}

const INTERVAL_MS = 50;
/** What a server says of a call is a part of the way to the call's end, which is never reached by it. */
const PART = 1 / 32;

/** Disposing drops what is unsent: a notification must not follow the result. */
export function createProgressReport(send: (progress: number, message: string) => void): ProgressReport {
  let latest: RunProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let highest = 0;
  const flush = (): void => {
    timer = undefined;
    if (latest === undefined) return;
    const progress = valueOf(latest, highest);
    const message = messageOf(latest);
    latest = undefined;
    if (progress <= highest) return;
    highest = progress;
    send(progress, message);
  };
  return {
    update(progress) {
      const wait = timer !== undefined;
      latest = progress;
      if (wait) return;
      flush();
      timer = setTimeout(flush, INTERVAL_MS);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      timer = undefined;
      latest = undefined;
    },
  };
}

/** A call that begins and one that ends both count a half, so that every change is a rise. */
function valueOf({ done, open, upstream }: RunProgress, highest: number): number {
  const progress = done + open / 2;
  if (upstream === undefined || progress > highest) return progress;
  const next = progress + 0.5;
  return highest + Math.max(0, next - highest) * PART;
}

function messageOf({ done, open, upstream }: RunProgress): string {
  const calls = `${done} ${done === 1 ? "call" : "calls"} done, ${open} open`;
  if (upstream === undefined) return calls;
  const { server, tool, progress, total, message } = upstream;
  const amount = total === undefined ? `${progress}` : `${progress} of ${total}`;
  const said = message === undefined ? "" : `: ${visibleLine(message, 200)}`;
  return `${calls}; ${visibleLine(`${server}.${tool}`, 200)} ${amount}${said}`;
}
