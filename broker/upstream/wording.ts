// Owns the errors one upstream throws: named server, bounded text, no secrets, and whether a request may have arrived.
import { CallgateError } from "../../contract/error.ts";
import type { LiveSecrets } from "../live-secrets.ts";
import { createRedactor } from "../redact.ts";
import type { AuthNeed } from "./access-problem.ts";
import { printable } from "./printable.ts";

export interface Wording {
  /** Text of the server made fit for a message. */
  clean(text: string, limit: number): string;
  disposed(): CallgateError;
  unavailable(
    why: string,
    data: { readonly sent: boolean; readonly retryAfterMs?: number; readonly auth?: AuthNeed },
  ): CallgateError;
  cancelled(tool: string | undefined, sent: boolean): CallgateError;
  timedOut(tool: string, timeoutMs: number, sent: boolean): CallgateError;
  /** The server answered a call with an error of the protocol instead of a result. */
  toolError(tool: string, why: string, data: Readonly<Record<string, unknown>>): CallgateError;
}

export function createWording(server: string, secrets: readonly string[], live?: LiveSecrets): Wording {
  const redactor = createRedactor({ secrets, ...(live === undefined ? {} : { live }) });
  const name = printable(server, 64);
  const clean = (text: string, limit: number): string => printable(redactor.redact(text), limit);
  const call = (tool: string): string => `${name}.${printable(tool, 128)}`;
  return {
    clean,
    disposed: () =>
      new CallgateError("DISPOSED", `server ${JSON.stringify(name)} was disposed; make a new gate`, {
        data: { server },
      }),
    unavailable: (why, data) =>
      new CallgateError(
        "CALL_UPSTREAM_UNAVAILABLE",
        `server ${JSON.stringify(name)} is not available: ${clean(why, 900)}`,
        { data: { server, ...data }, ...(data.auth === undefined ? {} : { retryable: false }) },
      ),
    cancelled(tool, sent) {
      const what = tool === undefined ? `the request for the tools of ${name}` : call(tool);
      return new CallgateError("CALL_CANCELLED", `${what} was cancelled`, {
        data: { server, ...(tool === undefined ? {} : { tool }), sent },
      });
    },
    timedOut: (tool, timeoutMs, sent) =>
      new CallgateError("CALL_TIMEOUT", `${call(tool)} gave no answer within ${timeoutMs} ms`, {
        data: { server, tool, sent },
      }),
    toolError: (tool, why, data) =>
      new CallgateError("CALL_TOOL_ERROR", clean(why, 2_000), {
        data: { server, tool, sent: true, ...data },
      }),
  };
}
