// Owns what is told of a run's progress: calls that begin and end, and what servers say of theirs.
import type { CallRequest } from "../contract/call.ts";
import type { RunProgress } from "../contract/progress.ts";
import { plain } from "./plain-text.ts";
import type { Progress } from "./upstream/upstream.ts";

export interface ProgressReports {
  changed(calls: { readonly closedCount: number; readonly openCount: number }): void;
  upstream(request: CallRequest, progress: Progress): void;
}

const MESSAGE_UNITS = 200;

/** Undefined when nobody listens. */
export function createProgressReports(
  listener: ((progress: RunProgress) => void) | undefined,
  redact: (text: string) => string,
): ProgressReports | undefined {
  if (listener === undefined) return undefined;
  let latest = { done: 0, open: 0 };
  return {
    changed({ closedCount, openCount }) {
      latest = { done: closedCount, open: openCount };
      listener(latest);
    },
    upstream({ seq, server, tool }, { progress, total, message }) {
      if (!Number.isFinite(progress)) return;
      const said = message === undefined ? "" : plain(redact(message.slice(0, 4_000)).trim(), MESSAGE_UNITS);
      const known = {
        seq,
        server,
        tool,
        progress,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(said !== "" && { message: said }),
      };
      try {
        listener({ ...latest, upstream: known });
      } catch {
        // What a listener does is no concern of the connection that this came from.
      }
    },
  };
}
