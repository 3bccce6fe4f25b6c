// Owns the one rule of ends: the first cause wins, every later one is dropped.

export interface Settlement<Cause> {
  readonly settled: Promise<Cause>;
  readonly cause: Cause | undefined;
  /** True when this cause was the first. */
  settle(cause: Cause): boolean;
}

export function createSettlement<Cause>(): Settlement<Cause> {
  const { promise, resolve } = Promise.withResolvers<Cause>();
  let cause: Cause | undefined;
  return {
    settled: promise,
    get cause() {
      return cause;
    },
    settle(next) {
      if (cause !== undefined) return false;
      cause = next;
      resolve(next);
      return true;
    },
  };
}
