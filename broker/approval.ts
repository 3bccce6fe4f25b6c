// Owns asking a person about one call, and the grants that answer for the rest of a run.
import type { ApprovalAnswer, ApprovalRequest, Approve } from "../contract/decision.ts";

export type ApprovalResult =
  | { readonly type: "granted" }
  | { readonly type: "rejected"; readonly reason: string | undefined }
  | { readonly type: "expired" }
  | { readonly type: "nobody" };

export interface Approvals {
  ask(request: ApprovalRequest, options: { readonly signal: AbortSignal }): Promise<ApprovalResult>;
}

const REASON_UNITS = 500;

/** Asks one call at a time, in the order of the calls, so that a grant for the run spares the questions behind it. */
export function createApprovals(options: {
  readonly approve: Approve | undefined;
  readonly timeoutMs: number;
}): Approvals {
  const granted = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function askNow(
    approve: Approve,
    request: ApprovalRequest,
    key: string,
    signal: AbortSignal,
  ): Promise<ApprovalResult> {
    if (granted.has(key)) return { type: "granted" };
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const ended = AbortSignal.any([signal, timeout]);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(ended.reason);
    ended.addEventListener("abort", onAbort, { once: true });
    try {
      ended.throwIfAborted();
      const answer = await Promise.race([approve(request, { signal: ended }), aborted]);
      return settle(answer, key);
    } catch (error) {
      if (ended.aborted) return { type: "expired" };
      return {
        type: "rejected",
        reason: `asking failed: ${String((error as Error).message)}`.slice(0, REASON_UNITS),
      };
    } finally {
      ended.removeEventListener("abort", onAbort);
    }
  }

  // Security: anything but an explicit allow is a refusal.
  function settle(answer: ApprovalAnswer, key: string): ApprovalResult {
    if (answer.decision !== "allow")
      return { type: "rejected", reason: answer.reason?.slice(0, REASON_UNITS) };
    if (answer.scope === "run") granted.add(key);
    return { type: "granted" };
  }

  return {
    ask(request, { signal }) {
      // Security: a grant answers the rules it was asked for; a flow or budget that comes later asks again.
      const key = JSON.stringify([request.server, request.tool, ...request.rules]);
      const { approve } = options;
      if (granted.has(key)) return Promise.resolve({ type: "granted" });
      if (approve === undefined) return Promise.resolve({ type: "nobody" });
      const turn = last.then(() => askNow(approve, request, key, signal));
      last = turn;
      return turn;
    },
  };
}
