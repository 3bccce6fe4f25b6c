// Owns records of runs in memory, for as long as they fit.
import type { RunEvent, RunRecord, RunStart, RunStore } from "../../contract/record.ts";

interface Entry {
  readonly start: RunStart;
  readonly events: RunEvent[];
  bytes: number;
  ended: boolean;
}

/** A run whose events outgrow this keeps no record: half a record cannot be repeated. */
const RUN_SHARE = 4;

/** Ended runs are forgotten, oldest first, beyond `maxBytes` in total; one run may have a quarter. @defaultValue 128 MiB */
export function createMemoryStore(maxBytes: number = 128 << 20): RunStore {
  const entries = new Map<string, Entry>();
  let total = 0;

  function drop(runId: string, entry: Entry): void {
    entries.delete(runId);
    total -= entry.bytes;
  }

  function forget(): void {
    for (const [runId, entry] of entries) {
      if (total <= maxBytes) return;
      if (entry.ended) drop(runId, entry);
    }
  }

  return {
    create(start) {
      const bytes = start.script.length + start.code.length + start.manifestJson.length;
      entries.set(start.runId, { start, events: [], bytes, ended: false });
      total += bytes;
      forget();
    },
    append(runId, event) {
      const entry = entries.get(runId);
      if (entry === undefined) return;
      const bytes = eventBytes(event);
      if (entry.bytes + bytes > maxBytes / RUN_SHARE) return drop(runId, entry);
      entry.events.push(event);
      entry.bytes += bytes;
      total += bytes;
      forget();
    },
    load(runId): RunRecord | undefined {
      const entry = entries.get(runId);
      return entry === undefined ? undefined : { start: entry.start, events: [...entry.events] };
    },
    end(runId) {
      const entry = entries.get(runId);
      if (entry !== undefined) entry.ended = true;
      forget();
    },
  };
}

/** Size of an event as kept, in UTF-16 units. */
export function eventBytes(event: RunEvent): number {
  if (event.type === "timer") return 32;
  if (event.type === "request") return 128 + event.argumentsJson.length;
  return event.outcome.ok ? event.outcome.valueJson.length : JSON.stringify(event.outcome.error).length;
}
