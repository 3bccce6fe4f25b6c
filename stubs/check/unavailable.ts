// Owns what a script is told that names a server which is configured and not there.
import type { Diagnostic } from "../../contract/diagnostic.ts";

export interface UnavailableServer {
  readonly server: string;
  /** One bounded line. */
  readonly reason: string;
  /** It was there, and is not any more. */
  readonly removed?: boolean;
}

/** TypeScript's numbers for a name that nothing declares. */
const UNKNOWN_NAME: ReadonlySet<number> = new Set([2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591]);

/** Says of an unknown name that is a server's why the server is not there, instead of what else it might have meant. */
export function explainUnavailable(
  diagnostics: readonly Diagnostic[],
  unavailable: readonly UnavailableServer[],
): readonly Diagnostic[] {
  if (unavailable.length === 0) return diagnostics;
  const reasons = new Map(
    unavailable.map(({ server, reason, removed }) => [
      server,
      removed === true ? reason : `is configured but not available: ${reason}`,
    ]),
  );
  return diagnostics.map((found) => {
    if (found.typescript === undefined || !UNKNOWN_NAME.has(found.typescript)) return found;
    const name = /^[A-Za-z_$][\w$]*/u.exec(found.source.slice(found.column - 1))?.[0] ?? "";
    const reason = reasons.get(name);
    if (reason === undefined) return found;
    const { suggestion: _suggestion, ...rest } = found;
    return { ...rest, message: `Server "${name}" ${reason}` };
  });
}
