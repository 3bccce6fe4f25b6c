// Owns that a person is asked one thing at a time, whatever of a run asks it.

/** Runs `work` when those before it are done. Rejects when `signal` aborts first, and then gives its turn away. */
export type InTurn = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>;

export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async (work, signal) => {
    const before = last;
    const { promise: mine, resolve: done } = Promise.withResolvers<void>();
    last = before.then(() => mine);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      await Promise.race([before, aborted]);
      return await Promise.race([work(), aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      done();
    }
  };
}
