// Owns the live line of a run: how many calls are done and open, on a terminal only.
import type { RunOptions } from "../index.ts";
import type { Screen } from "./screen.ts";
import { counted } from "./text/amount.ts";

type Progress = Parameters<NonNullable<RunOptions["onProgress"]>>[0];

export interface LiveProgress extends Disposable {
  update(progress: Progress): void;
}

const REFRESH_MS = 80;

/** Writes at most once in 80 ms; disposing clears the line. */
export function createProgress(screen: Pick<Screen, "live">): LiveProgress {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (latest === undefined) return;
    const { done, open } = latest;
    screen.live(`${counted(done, "call")} done${open > 0 ? `, ${open} open` : ""}`);
  };
  return {
    update(progress) {
      latest = progress;
      timer ??= setTimeout(write, REFRESH_MS);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      latest = undefined;
      screen.live(undefined);
    },
  };
}
