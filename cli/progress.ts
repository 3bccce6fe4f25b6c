// Owns the live line of a run: how many calls are done and open, on a terminal only.
import type { RunProgress } from "../index.ts";
import type { Screen } from "./screen.ts";
import { counted } from "./text/amount.ts";
import { visibleLine } from "./text/visible.ts";

export interface LiveProgress extends Disposable {
  update(progress: RunProgress): void;
}

const REFRESH_MS = 80;

/** Writes at most once in 80 ms; disposing clears the line. */
export function createProgress(screen: Pick<Screen, "live">): LiveProgress {
  let latest: RunProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (latest === undefined) return;
    screen.live(lineOf(latest));
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

function lineOf({ done, open, upstream }: RunProgress): string {
  const calls = `${counted(done, "call")} done${open > 0 ? `, ${open} open` : ""}`;
  if (upstream === undefined) return calls;
  const { server, tool, progress, total, message } = upstream;
  const amount = total === undefined ? `${progress}` : `${progress} of ${total}`;
  const said = message === undefined ? "" : `: ${message}`;
  return `${calls}; ${visibleLine(`${server}.${tool} ${amount}${said}`, 300)}`;
}
