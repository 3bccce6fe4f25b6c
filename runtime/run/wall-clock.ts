// Owns the wall limit of a run, which stands still while a person is asked. Security: it lives in the broker, not in the worker.

export interface WallClock {
  /** Stops the clock until the returned function is called; holds may overlap. */
  readonly hold: () => () => void;
  /** Now. */
  readonly holds: number;
  stop(): void;
}

export function createWallClock(options: {
  readonly wallMs: number;
  readonly expire: () => void;
}): WallClock {
  let leftMs = options.wallMs;
  let holds = 0;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(options.expire, leftMs);
  let stopped = false;

  function release(): void {
    holds -= 1;
    if (holds > 0 || stopped) return;
    since = performance.now();
    timer = setTimeout(options.expire, leftMs);
  }

  return {
    hold() {
      if (holds === 0) {
        clearTimeout(timer);
        leftMs = Math.max(1, leftMs - (performance.now() - since));
      }
      holds += 1;
      let held = true;
      return () => {
        if (held) release();
        held = false;
      };
    },
    get holds() {
      return holds;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
