// Owns waiting for a file to change.
import { watch } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const SETTLE_MS = 100;

/**
 * Yields once per burst of changes, those that came meanwhile included; ends when the signal aborts. Watches the
 * folder, since editors replace a file rather than write to it.
 */
export async function* fileChanges(
  path: string,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<void, void, undefined> {
  const { signal } = options;
  const name = basename(path);
  let changed = Promise.withResolvers<void>();
  const watching = (async () => {
    for await (const { filename } of watch(dirname(path), { signal }))
      if (filename === name) changed.resolve();
  })().catch((error: unknown) => {
    if (!signal.aborted) changed.reject(error);
  });
  signal.addEventListener("abort", () => changed.resolve(), { once: true });
  for (;;) {
    await changed.promise;
    if (signal.aborted) break;
    await pause(SETTLE_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    changed = Promise.withResolvers<void>();
    yield;
  }
  await watching;
}
