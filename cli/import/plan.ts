// Owns the merge: which of the servers that were found go into the configuration, under which names, and why others not.
import type { Machine } from "../places.ts";
import { isEntry, type RawEntry } from "../servers/entry.ts";
import type { Found } from "./find.ts";
import { withoutSecrets } from "./secrets.ts";
import { translated } from "./translate.ts";

export interface Planned {
  readonly found: Found;
  /** `add` it; `same` is there already; `unusable` here. */
  readonly action: "add" | "same" | "unusable";
  /** Its name in the configuration: of `same` the name it is there under. */
  readonly name: string;
  /** To be written; with secrets when they were asked for. */
  readonly entry: RawEntry | undefined;
  /** Without its secrets, to be shown. */
  readonly shown: RawEntry | undefined;
  /** Why it is unusable. */
  readonly reason: string | undefined;
  readonly notes: readonly string[];
  /** Variables to set: for secrets that were replaced, and for what an editor would have asked for. */
  readonly variables: readonly string[];
}

/** `existing`: servers of the configuration, which stay as they are. */
export function planOf(
  found: readonly Found[],
  options: {
    readonly existing: Readonly<Record<string, unknown>>;
    readonly target: string;
    readonly machine: Machine;
    readonly withSecrets: boolean;
  },
): readonly Planned[] {
  const { existing, target, machine, withSecrets } = options;
  const names = new Map(Object.keys(existing).map((name) => [folded(name), name]));
  const meanings = new Map(Object.entries(existing).map(([name, entry]) => [meaning(entry), name]));
  const taken = new Map<string, string>();
  return found.map((one): Planned => {
    const base = { found: one, name: one.name, entry: undefined, shown: undefined, reason: undefined };
    const said = translated(one, target, machine);
    if ("reason" in said)
      return { ...base, action: "unusable", reason: said.reason, notes: [], variables: [] };
    const freed = withoutSecrets(one.name, said.entry, taken);
    // The same server of two hosts, or of a former import, whose secrets were replaced.
    const same = meanings.get(meaning(said.entry)) ?? meanings.get(meaning(freed.entry));
    if (same !== undefined) return { ...base, action: "same", name: same, notes: [], variables: [] };
    const name = freeName(one, names);
    names.set(folded(name), name);
    meanings.set(meaning(said.entry), name);
    meanings.set(meaning(freed.entry), name);
    for (const [variable, secret] of freed.variables) taken.set(variable, secret);
    return {
      ...base,
      action: "add",
      name,
      entry: withSecrets ? said.entry : freed.entry,
      shown: freed.entry,
      notes: said.notes,
      variables: [...said.inputs, ...(withSecrets ? [] : freed.variables.keys())],
    };
  });
}

function freeName({ name, host }: Found, names: ReadonlyMap<string, string>): string {
  const room = name.slice(0, 100);
  for (let tries = 0; ; tries += 1) {
    const wanted = tries === 0 ? name : `${room}_${host}${tries === 1 ? "" : `_${tries}`}`;
    if (!names.has(folded(wanted))) return wanted;
  }
}

/** Names that differ in their case alone become one name in scripts. */
function folded(name: string): string {
  return name.toLowerCase();
}

/** Equal for entries that start or reach the same. */
function meaning(entry: unknown): string {
  if (!isEntry(entry)) return JSON.stringify(entry) ?? "";
  const { type: _type, timeout: _timeout, serverUrl, ...rest } = entry;
  const parts = { ...rest, ...(serverUrl !== undefined && { url: serverUrl }) };
  const said = Object.entries(parts).filter(([, value]) => !isEmpty(value));
  return JSON.stringify(inOrder(Object.fromEntries(said)));
}

function isEmpty(value: unknown): boolean {
  return (Array.isArray(value) && value.length === 0) || (isEntry(value) && Object.keys(value).length === 0);
}

function inOrder(value: unknown): unknown {
  if (!isEntry(value)) return value;
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return pairs.map(([key, part]) => [key, inOrder(part)]);
}
