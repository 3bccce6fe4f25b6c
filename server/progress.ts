// Owns progress notifications of one request: strictly rising, at most one in 50 ms.
import type { RunOptions } from "../index.ts";

export type RunProgress = Parameters<NonNullable<RunOptions["onProgress"]>>[0];

export interface ProgressReport extends Disposable {
  update(progress: RunProgress): void;
}

const INTERVAL_MS = 50;

/** Disposing drops what is unsent: a notification must not follow the result. */
export function createProgressReport(send: (progress: number, message: string) => void): ProgressReport {
  let latest: RunProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let highest = 0;
  const flush = (): void => {
    timer = undefined;
    if (latest === undefined) return;
    const { done, open } = latest;
    latest = undefined;
    // A call that begins and one that ends both count a half, so that every change is a rise.
    const progress = done + open / 2;
    if (progress <= highest) return;
    highest = progress;
    send(progress, `${done} ${done === 1 ? "call" : "calls"} done, ${open} open`);
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
