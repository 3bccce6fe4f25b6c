// Owns which token stands for which value, for one principal, within bounds.

export interface VaultEntry {
  readonly value: string;
  /** Labels of the runs that showed the value. */
  readonly labels: ReadonlySet<string>;
}

export interface Vault {
  /** The token of a value; the same for the same value for as long as it is kept. */
  put(kind: string, value: string, labels: Iterable<string>): string;
  /** The same, without keeping it. */
  peek(kind: string, value: string): string;
  find(token: string): VaultEntry | undefined;
}

interface Kept extends VaultEntry {
  readonly id: string;
  readonly token: string;
  readonly labels: Set<string>;
  readonly units: number;
}

const STEP = 4;

/** When it is full, the value that was used longest ago is forgotten: its token then stands for nothing. */
export function createVault(options: {
  /** Hexadecimal, the same for the same value, unknown to those who see tokens. */
  readonly digest: (kind: string, value: string) => string;
  readonly digits: number;
  readonly maxValues: number;
  readonly maxUnits: number;
}): Vault {
  const byToken = new Map<string, Kept>();
  const byValue = new Map<string, Kept>();
  let units = 0;

  function free(kind: string, value: string): string {
    const digest = options.digest(kind, value);
    for (let digits = options.digits; digits <= digest.length; digits += STEP) {
      const token = `<${kind}:${digest.slice(0, digits)}>`;
      if (!byToken.has(token)) return token;
    }
    throw new Error("two values have one digest");
  }

  function touch(kept: Kept): void {
    byToken.delete(kept.token);
    byToken.set(kept.token, kept);
  }

  function shrink(): void {
    for (const oldest of byToken.values()) {
      if (byToken.size <= options.maxValues && units <= options.maxUnits) return;
      byToken.delete(oldest.token);
      byValue.delete(oldest.id);
      units -= oldest.units;
    }
  }

  return {
    put(kind, value, labels) {
      const id = `${kind}:${value}`;
      let kept = byValue.get(id);
      if (kept === undefined) {
        const token = free(kind, value);
        kept = { id, token, value, labels: new Set(), units: value.length + token.length };
        byValue.set(id, kept);
        units += kept.units;
      }
      touch(kept);
      for (const label of labels) kept.labels.add(label);
      shrink();
      return kept.token;
    },
    peek: (kind, value) => byValue.get(`${kind}:${value}`)?.token ?? free(kind, value),
    find(token) {
      const kept = byToken.get(token);
      if (kept !== undefined) touch(kept);
      return kept;
    },
  };
}
