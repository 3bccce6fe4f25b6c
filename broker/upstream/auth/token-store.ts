// Owns the port to where sign-ins are kept, and the one that forgets them with the process.

/** Keeps one text per key. The texts are secret; the keys are not. */
export interface TokenStore {
  /** Undefined when there is none. */
  load(key: string): Promise<string | undefined>;
  /** Undefined removes it. */
  save(key: string, value: string | undefined): Promise<void>;
  /** Runs `work` while nobody else, in any process, works on the key. @defaultValue it is run at once */
  hold?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Runs `work` with the key held, where the store can do that. */
export function held<T>(store: TokenStore, key: string, work: () => Promise<T>): Promise<T> {
  return store.hold === undefined ? work() : store.hold(key, work);
}

export function createMemoryTokens(): TokenStore {
  const kept = new Map<string, string>();
  const holding = new Map<string, Promise<unknown>>();
  return {
    load: (key) => Promise.resolve(kept.get(key)),
    save(key, value) {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
      return Promise.resolve();
    },
    hold(key, work) {
      const before = holding.get(key) ?? Promise.resolve();
      const working = before.then(work);
      const settled = working
        .catch(() => {})
        .finally(() => {
          if (holding.get(key) === settled) holding.delete(key);
        });
      holding.set(key, settled);
      return working;
    },
  };
}
