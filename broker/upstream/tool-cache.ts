// Owns the last known tool list of one server: where it comes from, when it is read again, that an outage never loses it.
import type { ToolDefinition } from "../../contract/tool.ts";
import { DAY_MS, heldUntil, withoutServer, type CatalogEntry, type CatalogMemory } from "./catalog-store.ts";
import { raced, type Clock } from "./clock.ts";
import { createDeadline } from "./deadline.ts";
import type { Link } from "./link.ts";
import { isNoMethod, methodsAmong } from "./method-tools.ts";
import { readTools, type ToolList } from "./tool-list.ts";
import type { Accept, ListAge } from "./upstream.ts";
import type { Wording } from "./wording.ts";

const MAX_NOTES = 50;

export interface ToolCache {
  /**
   * The list, read again when it does not hold any more; the last known one when that fails. `known` is content with a
   * list whose time is over, unless the server said that it changed; `confirmed` wants the word of the server itself.
   */
  get(accept: Accept): Promise<readonly ToolDefinition[]>;
  age(): ListAge;
  /** The server says that the list changed; tells the listeners once until it is read again. */
  invalidate(): void;
  /** The list may have changed unheard. */
  expire(): void;
  onChanged(listener: () => void): void;
  /** What was dropped or repaired, and whether the list is old. */
  notes(): readonly string[];
  /** Resolves when what was read is kept. */
  settled(): Promise<void>;
}

export interface ToolCacheOptions {
  readonly server: string;
  readonly link: Link;
  readonly clock: Clock;
  readonly wording: Wording;
  /** All pages, ms. */
  readonly timeoutMs: number;
  /** Where lists outlive the process, and under which key. */
  readonly memory?: (CatalogMemory & { readonly key: () => Promise<string> }) | undefined;
}

export function createToolCache(options: ToolCacheOptions): ToolCache {
  const { server, link, clock, wording, timeoutMs, memory } = options;
  const wall = memory?.now ?? Date.now;
  const listeners = new Set<() => void>();
  let known: readonly ToolDefinition[] | undefined;
  let text = "";
  /** As it is kept, or would be. */
  let entry: CatalogEntry | undefined;
  let confirmed = false;
  let changed = false;
  let away = false;
  /** How often it was said, or suspected, that the list changed. */
  let changes = 0;
  let absences = 0;
  let remembering: Promise<void> | undefined;
  let reading: Promise<readonly ToolDefinition[]> | undefined;
  let keptUnder: string | undefined;
  let saving: Promise<void> = Promise.resolve();
  let listNotes: readonly string[] = [];
  let ageNote: string | undefined;

  /** Security: what was kept is judged as if the server had sent it now. */
  async function remember(): Promise<void> {
    if (memory === undefined || memory.refresh === true) return;
    const key = await whose();
    const found = key === undefined ? undefined : await memory.store.load(key);
    if (found === undefined || known !== undefined) return;
    keptUnder = key;
    const read = readTools(server, found.tools.filter(isNoMethod));
    adopt([...read.tools, ...methodsAmong(server, found.tools)]);
    entry = found;
    changed = found.changed;
    const notes = [...read.notes, ...found.notes];
    listNotes = notes.slice(0, MAX_NOTES).map((note) => wording.clean(note, 300));
    // The verdict on a server of the older era is asked for again once a day, or it would never be seen to be upgraded.
    const { era, discover } = found;
    if (era === "modern" || !outdated()) link.setPrior({ era, ...(discover && { discover }) });
  }

  /** Keeps the old definitions when the new ones say the same, so that nothing is made anew of them. */
  function adopt(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const fresh = JSON.stringify(tools);
    if (known === undefined || fresh !== text) known = tools;
    text = fresh;
    return known;
  }

  function outdated(): boolean {
    if (away || entry === undefined) return true;
    // Who tells of every change need not be asked.
    if (confirmed && link.tellsChanges()) return false;
    const now = wall();
    return now < entry.listedAt || now >= heldUntil(entry.listedAt, entry.ttlMs, memory?.ttlMs ?? DAY_MS);
  }

  function keep(fresh: CatalogEntry, key: string | undefined): void {
    entry = fresh;
    keptUnder = key;
    if (memory === undefined || key === undefined) return;
    saving = saving.then(() => memory.store.save(key, fresh));
  }

  /** Undefined when nothing is to be kept: nobody knows for whom. */
  async function whose(): Promise<string | undefined> {
    return memory?.key().catch(() => undefined);
  }

  async function refresh(): Promise<readonly ToolDefinition[]> {
    let asked = { changes, absences, at: wall() };
    const onAsk = (): unknown => (asked = { changes, absences, at: wall() });
    try {
      const key = await whose();
      const fresh = await read(true, onAsk);
      // Security: who signed in while the list was read must not find it as theirs.
      const sameKey = (await whose()) === key ? key : undefined;
      listNotes = fresh.notes.slice(0, MAX_NOTES).map((note) => wording.clean(note, 300));
      ageNote = undefined;
      changed = changes !== asked.changes;
      away = absences !== asked.absences;
      confirmed = true;
      const tools = adopt(fresh.tools);
      const { era, discover } = fresh;
      const facts = {
        era,
        discover,
        listedAt: asked.at,
        ttlMs: fresh.ttlMs ?? null,
        changed,
        notes: listNotes,
      };
      keep({ tools: withoutServer(tools), ...facts }, sameKey);
      return tools;
    } catch (error) {
      if (link.life.aborted || known === undefined) throw error;
      ageNote = `the tool list may be out of date: ${wording.clean((error as Error).message, 300)}`;
      return known;
    }
  }

  type Read = ToolList & Pick<CatalogEntry, "era" | "discover">;

  /** `onAsk` runs when the question leaves: what changes after it is not in the answer. */
  async function read(mayRetry: boolean, onAsk: () => unknown): Promise<Read> {
    const connection = await link.connect();
    // A server that does not understand what was remembered of it may stay silent; time must be left to ask it anew.
    const ms = connection.proven() ? timeoutMs : Math.ceil(timeoutMs / 2);
    using deadline = createDeadline({ signals: [link.life], timeoutMs: ms, clock });
    onAsk();
    const outcome = await raced(connection.list(deadline.signal), deadline.signal).catch((error: unknown) => {
      link.refuseWhenDisposed();
      if (deadline.ended() === undefined) throw error;
      return undefined;
    });
    if (outcome !== undefined && "list" in outcome) {
      const { era, discover } = connection;
      return { ...outcome.list, era, discover };
    }
    link.refuseWhenDisposed();
    if (!connection.proven() && mayRetry) {
      link.distrust(connection);
      return read(false, onAsk);
    }
    if (outcome === undefined)
      throw wording.unavailable(`it did not list its tools within ${timeoutMs} ms`, { sent: false });
    const { failure } = outcome;
    const gone = failure.kind === "session-lost" || (failure.kind === "unavailable" && failure.dead);
    if (gone) link.drop(connection);
    // Listing has no effect, so it may be repeated.
    if (gone && mayRetry) return read(false, onAsk);
    const why = connection.ended() ?? `it does not list its tools: ${failure.message}`;
    link.report(why);
    const auth = failure.kind === "unavailable" ? failure.auth : undefined;
    throw wording.unavailable(why, { sent: false, ...(auth === undefined ? {} : { auth }) });
  }

  return {
    async get(accept) {
      if (known === undefined) await (remembering ??= remember());
      const trusted = accept !== "confirmed" || (confirmed && !away);
      if (known !== undefined && !changed && trusted && (accept === "known" || !outdated())) return known;
      if (reading === undefined) {
        reading = refresh().finally(() => (reading = undefined));
        // Everybody may have stopped waiting by the time it fails.
        reading.catch(() => {});
      }
      return reading;
    },
    age: () => ({
      known: known !== undefined,
      outdated: changed || outdated(),
      confirmed: confirmed && !away,
      stated: entry?.ttlMs !== null,
    }),
    invalidate() {
      changes += 1;
      if (changed || known === undefined) return;
      changed = true;
      // Also on disk, and at once: this process may end before it reads the list again.
      if (entry !== undefined) keep({ ...entry, changed }, keptUnder);
      for (const listener of listeners) listener();
    },
    expire() {
      absences += 1;
      away = true;
    },
    onChanged(listener) {
      listeners.add(listener);
    },
    notes: () => (ageNote === undefined ? listNotes : [ageNote, ...listNotes]),
    settled: () => saving,
  };
}
