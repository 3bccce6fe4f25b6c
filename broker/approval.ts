// Owns asking a person: calls that ask in the same turn are one question, and the answer is given to each.
import { setTimeout as pause } from "node:timers/promises";
import type { CallReceipt } from "../contract/call.ts";
import type { ApprovalAnswer, ApprovalCall, ApprovalRequest, Approve } from "../contract/decision.ts";
import { meetsPattern, parseTerms, type GrantFacts, type Grants } from "./grants.ts";

export type ApprovalResult =
  | { readonly type: "granted" }
  | { readonly type: "rejected"; readonly reason: string | undefined }
  | { readonly type: "expired" }
  | { readonly type: "nobody" };

/** One call that needs an answer: as a person is shown it, and as it will be made. */
export interface Asking extends GrantFacts {
  readonly call: ApprovalCall;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Resolves when the script has come to rest: true when it makes no further call before there is an answer. */
  readonly rest: () => Promise<boolean>;
}

export interface Approvals {
  /** Never rejects. Settles as expired when `signal` aborts. */
  ask(asking: Asking, options: AskOptions): Promise<ApprovalResult>;
}

export interface ApprovalOptions {
  readonly runId: string;
  readonly approve: Approve | undefined;
  /** For one question, ms. */
  readonly timeoutMs: number;
  readonly grants: Grants;
  readonly receipts: () => readonly CallReceipt[];
  /** ms since the epoch. */
  readonly clock: () => number;
}

interface Waiting {
  readonly asking: Asking;
  readonly settle: (result: ApprovalResult) => void;
  settled: boolean;
  onSettled: () => void;
}

const REASON_UNITS = 500;
/**
 * While calls of the run are at work, their results can lead to more that ask: a turn is over when none has for so long,
 * ms. With none at work nothing is waited for but the script itself.
 */
const QUIET_MS = 20;
/** However many go on asking, a question is put after so long, ms. */
const GATHER_MS = 200;
const MAX_SET = 200;
const GRANTED: ApprovalResult = { type: "granted" };
const EXPIRED: ApprovalResult = { type: "expired" };

/** One question at a time, so that a grant spares the questions behind it. */
export function createApprovals(options: ApprovalOptions): Approvals {
  const { approve, grants } = options;
  let queue: Waiting[] = [];
  let asked = 0;
  let asking = false;
  let rest: AskOptions["rest"] = () => Promise.resolve(true);

  /** Waits until the turn is over, if anything has asked since the last time. */
  async function gather(): Promise<void> {
    const over = new AbortController();
    const late = pause(GATHER_MS, "late" as const, { signal: over.signal });
    late.catch(() => {});
    try {
      for (let seen = -1; seen !== asked && queue.length < MAX_SET;) {
        const resting = await Promise.race([rest(), late]);
        if (resting === "late" || resting) return;
        seen = asked;
        if ((await Promise.race([pause(QUIET_MS), late])) === "late") return;
      }
    } finally {
      over.abort();
    }
  }

  async function work(put: Approve): Promise<void> {
    asking = true;
    let gathered = -1;
    try {
      while (queue.length > 0) {
        if (gathered !== asked) await gather();
        gathered = asked;
        for (const one of queue) if (!one.settled && grants.covers(one.asking)) one.settle(GRANTED);
        queue = queue.filter(({ settled }) => !settled);
        if (queue.length > 0) await question(put, queue.slice(0, MAX_SET));
      }
    } catch (error) {
      for (const one of queue.splice(0)) one.settle(failure(error));
    }
    asking = false;
  }

  /** Puts one question and settles the calls that its answer is about: the first one at the least. */
  async function question(put: Approve, set: readonly Waiting[]): Promise<void> {
    const over = new AbortController();
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = AbortSignal.any([timeout, over.signal]);
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    signal.addEventListener("abort", () => end(undefined), { once: true });
    // A question whose calls are all gone is taken back.
    const watch = (): void => {
      if (set.every(({ settled }) => settled)) over.abort();
    };
    for (const one of set) one.onSettled = watch;
    try {
      const answer = await Promise.race([put(requestOf(set), { signal }), ended]);
      if (signal.aborted) for (const one of set) one.settle(EXPIRED);
      else settleAll(set, answer);
    } catch (error) {
      for (const one of set) one.settle(signal.aborted ? EXPIRED : failure(error));
    } finally {
      for (const one of set) one.onSettled = () => {};
    }
  }

  function requestOf(set: readonly Waiting[]): ApprovalRequest {
    const calls = set.map(({ asking: { call } }) => call);
    return {
      ...(calls[0] as ApprovalCall),
      runId: options.runId,
      calls: options.receipts(),
      ...(calls.length > 1 && { set: calls }),
    };
  }

  // Security: anything but an explicit allow is a refusal, and no call is allowed that the answer does not name.
  function settleAll(set: readonly Waiting[], answer: ApprovalAnswer | undefined): void {
    const about = answer?.about;
    if (about === undefined) return settleOne(set[0] as Waiting, answer, true);
    const named = new Set<unknown>(Array.isArray(about) ? about : []);
    for (const one of set) {
      const isNamed = about === "all" || named.has(one.asking.call.seq);
      // The first one is settled whatever an answer names, or the same question could come for ever.
      if (isNamed || answer?.others !== "ask" || one === set[0]) settleOne(one, answer, isNamed);
    }
  }

  function settleOne(one: Waiting, answer: ApprovalAnswer | undefined, named: boolean): void {
    if (one.settled) return;
    if (answer?.decision !== "allow" || !named) {
      const reason = typeof answer?.reason === "string" ? bounded(answer.reason) : undefined;
      return one.settle({ type: "rejected", reason });
    }
    const terms = parseTerms(answer, options.clock());
    if (typeof terms === "string") return one.settle({ type: "rejected", reason: terms });
    if (!meetsPattern(terms.pattern, one.asking.facts))
      return one.settle({
        type: "rejected",
        reason: "its arguments are not inside the pattern that was approved",
      });
    grants.add(one.asking, terms);
    one.settle(GRANTED);
  }

  return {
    ask(call, { signal, rest: resting }) {
      if (grants.covers(call)) return Promise.resolve(GRANTED);
      if (approve === undefined) return Promise.resolve({ type: "nobody" });
      const { promise, resolve } = Promise.withResolvers<ApprovalResult>();
      const expire = (): void => one.settle(EXPIRED);
      const one: Waiting = {
        asking: call,
        settled: false,
        onSettled: () => {},
        settle(result) {
          if (one.settled) return;
          one.settled = true;
          signal.removeEventListener("abort", expire);
          resolve(result);
          one.onSettled();
        },
      };
      signal.addEventListener("abort", expire, { once: true });
      if (signal.aborted) expire();
      else {
        asked += 1;
        rest = resting;
        queue.push(one);
        if (!asking) void work(approve);
      }
      return promise;
    },
  };
}

function failure(error: unknown): ApprovalResult {
  const message = String((error as { message?: unknown } | undefined)?.message);
  return { type: "rejected", reason: bounded(`asking failed: ${message}`) };
}

function bounded(reason: string): string {
  return reason.slice(0, REASON_UNITS);
}
