// Owns what calls have spent, per run and per principal, and whether one more fits.
import { createHash } from "node:crypto";
import { canonicalJson } from "../contract/json.ts";
import { plain } from "./plain-text.ts";
import type { CallFacts } from "./policy/decide.ts";
import type { Budget, Policy } from "./policy/model.ts";
import { costOf } from "./policy/plan.ts";
import { matchTool } from "./policy/tool-pattern.ts";

/** What a call turned out to be. */
export interface Spent {
  /** False gives the reservation back whole: the call was never sent. @defaultValue true */
  readonly sent?: boolean;
  readonly resultBytes?: number;
}

export type Reservation =
  /** Call `release` once when the call has ended; more calls of it do nothing. */
  | { readonly ok: true; readonly release: (spent?: Spent) => void }
  | {
      readonly ok: false;
      /** Id of the budget, for example `budget:run`. */
      readonly rule: string;
      readonly reason: string;
      readonly then: "ask" | "deny";
      /** Only room for calls at the same time is missing: `room` says when to try again. */
      readonly full: boolean;
    };

export interface Budgets {
  /**
   * Takes what the call needs from every budget, or from none. Synchronous, so that parallel calls cannot overshoot.
   * `granted`: ids a person has approved for this call; they count it without refusing it, unless their `then` is deny.
   */
  reserve(runId: string, principal: string, facts: CallFacts, granted?: ReadonlySet<string>): Reservation;
  /** Resolves at the next release of any call; rejects with the signal's reason. */
  room(signal: AbortSignal): Promise<void>;
  /** Forgets what a run has spent. */
  endRun(runId: string): void;
}

interface Account {
  calls: number;
  running: number;
  resultBytes: number;
  /** Millionths, so that sums of decimal prices are exact. */
  cost: number;
  /** Start times of calls inside the window of a rate, oldest first. */
  times: number[];
  readonly startedAt: number;
  /** Digest of a call → how often. */
  readonly same: Map<string, number>;
}

type Shortage = { readonly budget: Budget; readonly reason: string; readonly full: boolean };

/**
 * Budgets of a policy. `clock` returns ms. Result bytes are known only afterwards: a call starts while their sum is
 * below the bound. Rates and `per: "principal"` outlive runs and last as long as this object.
 */
export function createBudgets(policy: Policy, options: { readonly clock: () => number }): Budgets {
  const runs = new Map<string, Map<Budget, Account>>();
  const principals = new Map<string, Map<Budget, Account>>();
  const waiting = new Set<() => void>();

  const accountOf = (budget: Budget, runId: string, principal: string, now: number): Account => {
    const [owners, owner] = isLasting(budget) ? [principals, principal] : [runs, runId];
    let accounts = owners.get(owner);
    if (accounts === undefined) owners.set(owner, (accounts = new Map<Budget, Account>()));
    let account = accounts.get(budget);
    if (account === undefined) accounts.set(budget, (account = newAccount(now)));
    return account;
  };

  return {
    reserve(runId, principal, facts, granted) {
      const now = options.clock();
      const call: Call = {
        facts,
        cost: Math.round(costOf(policy, facts.tool) * 1e6),
        digest: digestOf(policy, facts),
      };
      const held: { budget: Budget; account: Account }[] = [];
      const shortages: Shortage[] = [];
      for (const budget of policy.budgets) {
        if (
          budget.pattern !== undefined &&
          !matchTool(budget.pattern, facts.tool.server, facts.tool.name, false)
        )
          continue;
        for (const part of parts(budget)) {
          const account = accountOf(part, runId, principal, now);
          const shortage = findShortage(part, account, call, now);
          const waived = granted?.has(budget.id) === true && budget.then === "ask";
          if (shortage !== undefined && !waived) shortages.push(shortage);
          held.push({ budget: part, account });
        }
      }
      const worst = shortages.find(({ budget }) => budget.then === "deny") ?? shortages[0];
      if (worst !== undefined) {
        const { budget, reason } = worst;
        return {
          ok: false,
          rule: budget.id,
          reason,
          then: budget.then,
          full: shortages.every(({ full }) => full),
        };
      }
      for (const { budget, account } of held) take(budget, account, call, now);
      let released = false;
      return {
        ok: true,
        release(spent = {}) {
          if (released) return;
          released = true;
          for (const { budget, account } of held) giveBack(budget, account, call, now, spent);
          const wake = [...waiting];
          waiting.clear();
          for (const resolve of wake) resolve();
        },
      };
    },
    room(signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const stop = (): void => {
          waiting.delete(done);
          reject(signal.reason as Error);
        };
        const done = (): void => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        signal.addEventListener("abort", stop, { once: true });
        waiting.add(done);
      });
    },
    endRun(runId) {
      runs.delete(runId);
    },
  };
}

interface Call {
  readonly facts: CallFacts;
  readonly cost: number;
  /** Undefined when no budget counts identical calls. */
  readonly digest: string | undefined;
}

function newAccount(now: number): Account {
  return { calls: 0, running: 0, resultBytes: 0, cost: 0, times: [], startedAt: now, same: new Map() };
}

function isLasting(budget: Budget): boolean {
  return budget.per === "principal" || budget.rate !== undefined;
}

// A rate is a matter of wall time and belongs to the principal even when the rest of the budget is per run.
const splitBudgets = new WeakMap<Budget, readonly Budget[]>();

function parts(budget: Budget): readonly Budget[] {
  if (budget.rate === undefined || budget.per === "principal") return [budget];
  let split = splitBudgets.get(budget);
  if (split === undefined) {
    const none = {
      calls: undefined,
      cost: undefined,
      resultBytes: undefined,
      concurrency: undefined,
      wallMs: undefined,
    };
    split = [
      { ...budget, rate: undefined },
      { ...budget, ...none, per: "principal" },
    ];
    splitBudgets.set(budget, split);
  }
  return split;
}

function digestOf(policy: Policy, { tool, arguments: args }: CallFacts): string | undefined {
  if (!policy.budgets.some((budget) => budget.sameCall !== undefined)) return undefined;
  return createHash("sha256")
    .update(canonicalJson([tool.server, tool.name, args]))
    .digest("base64");
}

function findShortage(budget: Budget, account: Account, call: Call, now: number): Shortage | undefined {
  const over = (reason: string, full: boolean = false): Shortage => {
    return { budget, reason: `${budget.id} is spent: ${reason}`, full };
  };
  const owner = budget.per === "principal" ? "principal" : "run";
  if (budget.sameCall !== undefined && (account.same.get(call.digest!) ?? 0) >= budget.sameCall) {
    const tool = plain(`${call.facts.tool.server}.${call.facts.tool.name}`, 120);
    return over(`this run has made the identical call of ${tool} ${times(budget.sameCall)}`);
  }
  if (budget.calls !== undefined && account.calls >= budget.calls) {
    return over(`at most ${budget.calls} calls per ${owner}`);
  }
  if (budget.cost !== undefined && account.cost + call.cost > Math.round(budget.cost * 1e6)) {
    return over(`a cost of at most ${budget.cost} per ${owner}, of which ${account.cost / 1e6} is spent`);
  }
  if (budget.resultBytes !== undefined && account.resultBytes >= budget.resultBytes) {
    return over(`at most ${budget.resultBytes} bytes of results per ${owner}`);
  }
  if (budget.wallMs !== undefined && now - account.startedAt >= budget.wallMs) {
    return over(`calls for at most ${budget.wallMs / 60_000} minutes from the first one`);
  }
  if (budget.rate !== undefined) {
    const { calls, windowMs } = budget.rate;
    forgetOld(account, now - windowMs);
    if (account.times.length >= calls) return over(`at most ${calls} calls in ${windowMs / 1000} s`);
  }
  if (budget.concurrency !== undefined && account.running >= budget.concurrency) {
    return over(`at most ${budget.concurrency} calls at one time`, true);
  }
  return undefined;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function forgetOld(account: Account, before: number): void {
  const keep = account.times.findIndex((time) => time > before);
  if (keep !== 0) account.times = keep === -1 ? [] : account.times.slice(keep);
}

function take(budget: Budget, account: Account, call: Call, now: number): void {
  account.calls++;
  account.running++;
  account.cost += call.cost;
  if (budget.rate !== undefined) account.times.push(now);
  if (budget.sameCall !== undefined)
    account.same.set(call.digest!, (account.same.get(call.digest!) ?? 0) + 1);
}

function giveBack(budget: Budget, account: Account, call: Call, at: number, spent: Spent): void {
  account.running--;
  account.resultBytes += spent.resultBytes ?? 0;
  if (spent.sent !== false) return;
  account.calls--;
  account.cost -= call.cost;
  const time = account.times.lastIndexOf(at);
  if (time !== -1) account.times.splice(time, 1);
  if (budget.sameCall !== undefined)
    account.same.set(call.digest!, (account.same.get(call.digest!) ?? 1) - 1);
}
