// Owns waiting for a file to change.
import { watch } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { visibleLine } from "./text/visible.ts";
import { fileProblem, UsageError } from "./usage-error.ts";

const SETTLE_MS = 100;

/**
 * Yields once per burst of changes since the call, those that come while nobody waits included; ends when the signal
 * aborts. Watches the folder, since editors replace a file rather than write to it. Throws UsageError when it cannot.
 */
export function fileChanges(
  path: string,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<void, void, undefined> {
  const { signal } = options;
  const name = basename(path);
  let changed = Promise.withResolvers<void>();
  let failed: UsageError | undefined;
  const watching = (async () => {
    for await (const { filename } of watch(dirname(path), { signal })) {
      if (filename === name) changed.resolve();
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) failed = new UsageError(`cannot watch ${visibleLine(path)}: ${fileProblem(error)}`);
    changed.resolve();
  });
  signal.addEventListener("abort", () => changed.resolve(), { once: true });
  return (async function* () {
    while (!signal.aborted) {
      await changed.promise;
      if (failed !== undefined) throw failed;
      await pause(SETTLE_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      changed = Promise.withResolvers<void>();
      yield;
    }
    await watching;
  })();
}
