import fc from "fast-check";
import { expect, test } from "vitest";
import { createBudgets, type Reservation, type Spent } from "../../broker/budget.ts";
import type { PolicyInput } from "../../broker/policy/parse.ts";
import type { JsonObject } from "../../contract/json.ts";
import { verifies } from "../requirements.ts";
import { facts, policyOf, propertyRuns, propertyTimeout, tool } from "./policy/support.ts";

function budgetsOf(budgets: PolicyInput["budgets"], more: PolicyInput = {}) {
  let now = 0;
  const made = createBudgets(policyOf({ ...more, budgets }), { clock: () => now });
  const reserve = (
    given: { run?: string; by?: string; name?: string; args?: JsonObject; granted?: string[] } = {},
  ): Reservation => {
    const [server, name] = (given.name ?? "s.t").split(".") as [string, string];
    const call = facts(tool(server, name), given.args);
    return made.reserve(given.run ?? "run", given.by ?? "me", call, new Set(given.granted));
  };
  const pass = (ms: number): void => void (now += ms);
  return { ...made, reserve, pass };
}

function release(reservation: Reservation, spent?: Spent): void {
  if (!reservation.ok) throw new Error(reservation.reason);
  reservation.release(spent);
}

function count(times: number, attempt: () => Reservation): number {
  return Array.from({ length: times }, attempt).filter(({ ok }) => ok).length;
}

test(verifies("budget:bounds", "calls per run are bounded, and runs do not share"), () => {
  const { reserve } = budgetsOf({ run: { calls: 3 } });
  expect(count(5, () => reserve())).toBe(3);
  expect(count(5, () => reserve({ run: "other" }))).toBe(3);
  expect(reserve()).toEqual({
    ok: false,
    rule: "budget:run",
    reason: "budget:run is spent: at most 3 calls per run",
    then: "deny",
    full: false,
  });
});

test(verifies("budget:bounds", "calls per principal are bounded across runs"), () => {
  const { reserve, endRun } = budgetsOf({ principal: { calls: 3 } });
  expect(count(2, () => reserve({ run: "one" }))).toBe(2);
  endRun("one");
  expect(count(2, () => reserve({ run: "two" }))).toBe(1);
  expect(count(2, () => reserve({ run: "two", by: "other" }))).toBe(2);
});

test(verifies("budget:bounds", "tools of one pattern share a count, other tools do not touch it"), () => {
  const { reserve } = budgetsOf({ "slack.*": { calls: 2 } });
  expect(count(3, () => reserve({ name: "github.list" }))).toBe(3);
  expect(count(1, () => reserve({ name: "slack.post" }))).toBe(1);
  expect(count(2, () => reserve({ name: "slack.delete" }))).toBe(1);
});

test(verifies("budget:bounds", "a rate is a sliding window of the principal"), () => {
  const { reserve, pass } = budgetsOf({ "s.t": { calls: 100, rate: "2/minute" } });
  expect(count(1, () => reserve({ run: "one" }))).toBe(1);
  pass(30_000);
  expect(count(2, () => reserve({ run: "two" }))).toBe(1);
  pass(30_000);
  expect(count(2, () => reserve({ run: "three" }))).toBe(1);
  pass(60_000);
  expect(count(3, () => reserve({ run: "four" }))).toBe(2);
});

test(verifies("budget:bounds", "cost adds up exactly"), () => {
  const { reserve } = budgetsOf({ run: { cost: 0.3 } }, { tools: { "s.t": { cost: 0.1 } } });
  expect(count(10, () => reserve())).toBe(3);
  expect(count(2, () => reserve({ name: "s.free" }))).toBe(2);
});

test(verifies("budget:bounds", "result bytes stop the next call once they are spent"), () => {
  const { reserve } = budgetsOf({ run: { resultBytes: "1KB" } });
  release(reserve(), { resultBytes: 999 });
  release(reserve(), { resultBytes: 1 });
  expect(reserve()).toMatchObject({ ok: false, rule: "budget:run" });
});

test(
  verifies("budget:bounds", "calls at one time are bounded, and room tells when to try again"),
  async () => {
    const { reserve, room } = budgetsOf({ run: { concurrency: 2 } });
    const first = reserve();
    reserve();
    expect(reserve()).toMatchObject({ ok: false, full: true });
    const waiting = room(new AbortController().signal);
    release(first);
    await waiting;
    expect(reserve().ok).toBe(true);
  },
);

test(verifies("budget:bounds", "waiting for room ends with the signal"), async () => {
  const { room } = budgetsOf({ run: { concurrency: 1 } });
  const controller = new AbortController();
  const waiting = room(controller.signal);
  controller.abort(new Error("the run ended"));
  await expect(waiting).rejects.toThrow("the run ended");
  await expect(room(controller.signal)).rejects.toThrow("the run ended");
});

test(verifies("budget:bounds", "wall time counts from the first call of the run"), () => {
  const { reserve, pass } = budgetsOf({ run: { wallMinutes: 1 } });
  pass(120_000);
  expect(reserve().ok).toBe(true);
  pass(59_999);
  expect(reserve().ok).toBe(true);
  pass(1);
  expect(reserve().ok).toBe(false);
});

test(verifies("budget:bounds", "identical calls are bounded, whatever the order of their properties"), () => {
  const { reserve } = budgetsOf({ sameCall: { times: 2, then: "ask" } });
  expect(reserve({ args: { a: 1, b: 2 } }).ok).toBe(true);
  expect(reserve({ args: { b: 2, a: 1 } }).ok).toBe(true);
  expect(reserve({ args: { a: 1, b: 2 } })).toMatchObject({
    ok: false,
    rule: "budget:sameCall",
    then: "ask",
  });
  expect(reserve({ args: { a: 1, b: 3 } }).ok).toBe(true);
  expect(reserve({ args: { a: 1, b: 2 }, name: "s.u" }).ok).toBe(true);
});

test(verifies("budget:bounds", "a call that was never sent gives everything back, once"), () => {
  const { reserve } = budgetsOf(
    { run: { calls: 1, cost: 1 }, "s.t": { rate: "1/hour" }, sameCall: { times: 1 } },
    { tools: { "s.t": { cost: 1 } } },
  );
  const reservation = reserve();
  release(reservation, { sent: false });
  release(reservation, { sent: false });
  expect(count(3, () => reserve())).toBe(1);
});

test(verifies("budget:bounds", "budgets of all layers count"), () => {
  const policy = policyOf({ budgets: { run: { calls: 5 } } }, { budgets: { run: { calls: 2 } } });
  const budgets = createBudgets(policy, { clock: () => 0 });
  const reserve = (): Reservation => budgets.reserve("run", "me", facts(tool("s", "t")));
  expect(count(5, reserve)).toBe(2);
  expect(reserve()).toMatchObject({ rule: "budget:run@2" });
});

test(verifies("budget:grant", "a grant passes the budget it names and is counted"), () => {
  const { reserve } = budgetsOf({ run: { calls: 1, then: "ask" } });
  reserve();
  expect(reserve({ granted: ["budget:principal"] }).ok).toBe(false);
  expect(reserve({ granted: ["budget:run"] }).ok).toBe(true);
  expect(reserve()).toMatchObject({ ok: false, then: "ask" });
});

test(verifies("budget:grant", "no grant passes a budget that denies, and deny goes before ask"), () => {
  const { reserve } = budgetsOf({ run: { calls: 1, then: "ask" }, "s.*": { calls: 1 } });
  reserve();
  expect(reserve({ granted: ["budget:run", "budget:s.*"] })).toMatchObject({
    ok: false,
    rule: "budget:s.*",
    then: "deny",
  });
});

test(
  verifies(
    "budget:atomic",
    "no order of reservations and releases exceeds a budget by one, and a refusal takes nothing",
  ),
  () => {
    const step = fc.record({
      run: fc.constantFrom("one", "two"),
      by: fc.constantFrom("me", "you"),
      name: fc.constantFrom("s.t", "s.u"),
      wait: fc.nat(40_000),
      end: fc.option(fc.nat(30), { nil: undefined }),
      sent: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { reserve, pass } = budgetsOf(
          {
            run: { calls: 6, cost: 2, concurrency: 3 },
            principal: { calls: 9 },
            "s.t": { calls: 4, rate: "3/minute" },
          },
          { tools: { "s.t": { cost: 0.5 }, "s.u": { cost: 0.1 } } },
        );
        const calls: {
          run: string;
          by: string;
          name: string;
          at: number;
          running: boolean;
          counts: boolean;
          back: Reservation;
        }[] = [];
        let now = 0;
        const of = (key: "run" | "by" | "name", value: string) =>
          calls.filter((each) => each[key] === value && each.counts);
        for (const { run, by, name, wait, end, sent } of steps) {
          pass(wait);
          now += wait;
          const ending = end === undefined ? undefined : calls[end];
          if (ending?.running === true) {
            release(ending.back, { sent });
            ending.running = false;
            ending.counts = sent;
          }
          const mine = of("run", run);
          const cost =
            mine.reduce((sum, each) => sum + (each.name === "s.t" ? 50 : 10), 0) + (name === "s.t" ? 50 : 10);
          const recent = of("by", by).filter((each) => each.name === "s.t" && each.at > now - 60_000);
          const fits =
            mine.length < 6 &&
            cost <= 200 &&
            mine.filter(({ running }) => running).length < 3 &&
            of("by", by).length < 9 &&
            (name !== "s.t" || (mine.filter((each) => each.name === "s.t").length < 4 && recent.length < 3));
          const back = reserve({ run, by, name });
          expect(back.ok).toBe(fits);
          if (back.ok) calls.push({ run, by, name, at: now, running: true, counts: true, back });
        }
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test(verifies("budget:bounds", "releasing twice gives back once"), () => {
  const { reserve } = budgetsOf({ run: { calls: 2, concurrency: 2 } });
  const first = reserve();
  release(first, { sent: false });
  release(first, { sent: false });
  expect(count(5, () => reserve())).toBe(2);
});
