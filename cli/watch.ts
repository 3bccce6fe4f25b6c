// Owns waiting for a file to change.
import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { visibleLine } from "./text/visible.ts";
import { fileProblem, UsageError } from "./usage-error.ts";

const POLL_MS = 150;
/** A file that never rests is taken as it is after so many looks. */
const MOST_LOOKS = 8;

/**
 * Yields once per burst of changes since the call, those that come while nobody waits included; ends when the signal
 * aborts. Looks at the file rather than being told of events: these get lost where editors replace files, on network
 * and shared folders, and when the system has no watches left. Throws UsageError when there is no such file.
 */
export async function fileChanges(
  path: string,
  options: { readonly signal: AbortSignal },
): Promise<AsyncGenerator<void, void, undefined>> {
  try {
    return changesSince(await stateOf(path), path, options.signal);
  } catch (error) {
    throw new UsageError(`cannot watch ${visibleLine(path)}: ${fileProblem(error)}`);
  }
}

async function* changesSince(
  first: string,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  let known = first;
  let last = first;
  let looks = 0;
  while (await paused(signal)) {
    // While an editor replaces it, there is none.
    const now = await stateOf(path).catch(() => undefined);
    if (now === undefined || now === known) continue;
    looks += 1;
    const resting = now === last;
    last = now;
    if (!resting && looks < MOST_LOOKS) continue;
    known = now;
    looks = 0;
    yield;
  }
}

/** Differs whenever the file was written to, replaced or touched. */
async function stateOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

/** False once the signal has aborted. */
async function paused(signal: AbortSignal): Promise<boolean> {
  await pause(POLL_MS, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
