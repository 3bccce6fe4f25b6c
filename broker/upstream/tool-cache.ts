// Owns the last known tool list of one server: when it is read again, and that an outage never loses it.
import type { ToolDefinition } from "../../contract/tool.ts";
import { raced, type Clock } from "./clock.ts";
import { createDeadline } from "./deadline.ts";
import type { Link } from "./link.ts";
import type { ToolList } from "./tool-list.ts";
import type { Wording } from "./wording.ts";

const MAX_NOTES = 50;

export interface ToolCache {
  /** The list, read again when it may have changed; the last known one when that fails. */
  get(): Promise<readonly ToolDefinition[]>;
  /** The list may have changed; tells the listeners once until it is read again. */
  invalidate(): void;
  onChanged(listener: () => void): void;
  /** What was dropped or repaired, and whether the list is old. */
  notes(): readonly string[];
}

export function createToolCache(options: {
  readonly link: Link;
  readonly clock: Clock;
  readonly wording: Wording;
  /** All pages, ms. */
  readonly timeoutMs: number;
}): ToolCache {
  const { link, clock, wording, timeoutMs } = options;
  const listeners = new Set<() => void>();
  let known: readonly ToolDefinition[] | undefined;
  let stale = true;
  let changes = 0;
  let reading: Promise<readonly ToolDefinition[]> | undefined;
  let listNotes: readonly string[] = [];
  let ageNote: string | undefined;

  async function refresh(): Promise<readonly ToolDefinition[]> {
    let before = changes;
    try {
      const fresh = await read(true, () => (before = changes));
      listNotes = fresh.notes.slice(0, MAX_NOTES).map((note) => wording.clean(note, 300));
      ageNote = undefined;
      stale = changes !== before;
      known = fresh.tools;
      return known;
    } catch (error) {
      if (link.life.aborted || known === undefined) throw error;
      ageNote = `the tool list may be out of date: ${wording.clean((error as Error).message, 300)}`;
      return known;
    }
  }

  /** `onAsk` runs when the question leaves: what changes after it is not in the answer. */
  async function read(mayRetry: boolean, onAsk: () => void): Promise<ToolList> {
    const connection = await link.connect();
    using deadline = createDeadline({ signals: [link.life], timeoutMs, clock });
    onAsk();
    const outcome = await raced(connection.list(deadline.signal), deadline.signal).catch((error: unknown) => {
      link.refuseWhenDisposed();
      if (deadline.ended() === undefined) throw error;
      throw wording.unavailable(`it did not list its tools within ${timeoutMs} ms`, { sent: false });
    });
    if ("list" in outcome) return outcome.list;
    const { failure } = outcome;
    link.refuseWhenDisposed();
    const gone = failure.kind === "session-lost" || (failure.kind === "unavailable" && failure.dead);
    if (gone) link.drop(connection);
    // Listing has no effect, so it may be repeated.
    if (gone && mayRetry) return read(false, onAsk);
    const why = connection.ended() ?? `it does not list its tools: ${failure.message}`;
    throw wording.unavailable(why, { sent: false });
  }

  return {
    get() {
      if (known !== undefined && !stale) return Promise.resolve(known);
      if (reading === undefined) {
        reading = refresh().finally(() => (reading = undefined));
        // Everybody may have stopped waiting by the time it fails.
        reading.catch(() => {});
      }
      return reading;
    },
    invalidate() {
      changes += 1;
      if (stale) return;
      stale = true;
      for (const listener of listeners) listener();
    },
    onChanged(listener) {
      listeners.add(listener);
    },
    notes: () => (ageNote === undefined ? listNotes : [ageNote, ...listNotes]),
  };
}
