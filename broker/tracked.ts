// Owns the end of an upstream that is taken out of an open gate: no new call, and those under way finish or are cancelled.
import { CallgateError } from "../contract/error.ts";
import type { Upstream, UpstreamResult } from "./upstream/upstream.ts";

export interface Tracked extends Upstream {
  /** Refuses calls from now on. Resolves when the upstream is closed: at once, or after the calls under way. */
  retire(inFlight: "finish" | "cancel"): Promise<void>;
}

export function tracked(upstream: Upstream): Tracked {
  const underWay = new Set<Promise<UpstreamResult>>();
  let retired: Promise<void> | undefined;
  const dispose = async (): Promise<void> => upstream[Symbol.asyncDispose]();
  return {
    ...upstream,
    call(tool, args, options) {
      if (retired !== undefined) {
        const { server } = upstream;
        const text = `server ${JSON.stringify(server.slice(0, 64))} was removed from the gate`;
        return Promise.reject(
          new CallgateError("CALL_UPSTREAM_UNAVAILABLE", text, { data: { server, sent: false } }),
        );
      }
      const call = upstream.call(tool, args, options);
      underWay.add(call);
      const done = (): unknown => underWay.delete(call);
      call.then(done, done);
      return call;
    },
    retire(inFlight) {
      retired ??= (async () => {
        if (inFlight === "finish") await Promise.allSettled(underWay);
        await dispose();
      })();
      return retired;
    },
    [Symbol.asyncDispose]: dispose,
  };
}
