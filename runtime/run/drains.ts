// Owns asking a worker whether its guest has come to rest: it has done all that what it was given leads to.

export interface Drains {
  /** Resolves when the guest has come to rest once more; never, when its worker dies. */
  wait(): Promise<void>;
  /** False when nobody had asked. */
  answered(): boolean;
  /** Another worker serves the run now. */
  rewind(): void;
}

/** One question to the worker at a time, however many wait. */
export function createDrains(ask: () => void): Drains {
  let asked: PromiseWithResolvers<void> | undefined;
  let next: PromiseWithResolvers<void> | undefined;

  function put(waiting: PromiseWithResolvers<void>): void {
    asked = waiting;
    ask();
  }

  return {
    wait() {
      // What is under way may have been asked before the latest delivery.
      if (asked !== undefined) return (next ??= Promise.withResolvers()).promise;
      const waiting = Promise.withResolvers<void>();
      put(waiting);
      return waiting.promise;
    },
    answered() {
      if (asked === undefined) return false;
      const { resolve } = asked;
      asked = undefined;
      const following = next;
      next = undefined;
      if (following !== undefined) put(following);
      resolve();
      return true;
    },
    rewind() {
      if (asked !== undefined) ask();
    },
  };
}
