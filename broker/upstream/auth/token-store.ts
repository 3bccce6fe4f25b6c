// Owns the port to where sign-ins are kept, and the one that forgets them with the process.

/** Keeps one text per key. The texts are secret; the keys are not. */
export interface TokenStore {
  /** Undefined when there is none. */
  load(key: string): Promise<string | undefined>;
  /** Undefined removes it. */
  save(key: string, value: string | undefined): Promise<void>;
  /** Runs `work` while no other process works on the key. @defaultValue it is run at once */
  hold?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createMemoryTokens(): TokenStore {
  const kept = new Map<string, string>();
  return {
    load: (key) => Promise.resolve(kept.get(key)),
    save(key, value) {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
      return Promise.resolve();
    },
  };
}
