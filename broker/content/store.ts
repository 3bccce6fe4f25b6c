// Owns the binary content of one run: kept out of the script's memory, bounded, gone with the run.
import { createHash, randomBytes } from "node:crypto";
import { base64Bytes, contentId, type BinaryFacts } from "../../contract/content.ts";

export interface KeptContent {
  readonly facts: BinaryFacts;
  /** Canonical base64. */
  readonly data: string;
  /** The call it came from. */
  readonly source: { readonly server: string; readonly tool: string };
  /** SHA-256 of the bytes, hexadecimal. */
  sha256(): string;
}

export interface ContentStore {
  /** Keeps canonical base64; undefined when there is no room for it. */
  keep(
    data: string,
    facts: Omit<BinaryFacts, "id" | "bytes">,
    source: KeptContent["source"],
  ): KeptContent | undefined;
  /** Bytes that still fit. */
  room(): number;
  /** Security: ids are unguessable and of this run only. */
  find(id: string): KeptContent | undefined;
  /**
   * Waits until `bytes` more may be on their way to tools. Rejects with the signal's reason. Call the result once the
   * call has ended.
   */
  send(bytes: number, signal: AbortSignal): Promise<() => void>;
  clear(): void;
}

/** Counted for the least of contents: its handle and its place here cost that much. */
const LEAST_BYTES = 1_024;

/** `maxBytes` bounds what is kept, and what is on its way to tools at one time. */
export function createContentStore(maxBytes: number): ContentStore {
  const kept = new Map<string, KeptContent>();
  const waiting: (() => void)[] = [];
  let used = 0;
  let sending = 0;

  function giveBack(bytes: number): void {
    sending -= bytes;
    for (const wake of waiting.splice(0)) wake();
  }

  return {
    keep(data, given, source) {
      const bytes = base64Bytes(data);
      const cost = Math.max(bytes, LEAST_BYTES);
      if (cost > maxBytes - used) return undefined;
      used += cost;
      const id = contentId(randomBytes(16).toString("hex"));
      let hash: string | undefined;
      const content: KeptContent = {
        facts: { ...given, bytes, id },
        data,
        source,
        sha256: () => (hash ??= createHash("sha256").update(Buffer.from(data, "base64")).digest("hex")),
      };
      kept.set(id, content);
      return content;
    },
    room: () => maxBytes - used,
    find: (id) => kept.get(id),
    async send(bytes, signal) {
      // Security: each call under way holds a text of its own with all the data.
      while (sending > 0 && sending + bytes > maxBytes) {
        const room = Promise.withResolvers<void>();
        const stop = (): void => room.reject(signal.reason);
        waiting.push(room.resolve);
        signal.addEventListener("abort", stop, { once: true });
        if (signal.aborted) stop();
        await room.promise.finally(() => signal.removeEventListener("abort", stop));
      }
      sending += bytes;
      let open = true;
      return () => {
        if (open) giveBack(bytes);
        open = false;
      };
    },
    clear() {
      kept.clear();
      used = 0;
    },
  };
}
