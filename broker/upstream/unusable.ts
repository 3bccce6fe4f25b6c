// Owns the stand-in for a server that cannot be used as it is configured.
import { CallgateError } from "../../contract/error.ts";
import type { Upstream } from "./upstream.ts";

/** Offers no tools and says why; the other servers are not affected. */
export function createUnusableUpstream(server: string, reason: string): Upstream {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new CallgateError("CALL_UPSTREAM_UNAVAILABLE", `${server}: ${reason}`, {
        data: { server, sent: false },
        retryable: false,
      }),
    );
  return {
    server,
    tools: refuse,
    call: refuse,
    status: () => ({ server, state: "failed", error: reason, notes: [] }),
    age: () => ({ known: false, outdated: true, confirmed: false, stated: false }),
    onToolsChanged: () => {},
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
