// How many calls a server gets in a time.
import { expect, test } from "vitest";
import fc from "fast-check";
import { parseServers } from "../../../broker/upstream/config.ts";
import { createRate } from "../../../broker/upstream/rate.ts";
import { verifies } from "../../requirements.ts";
import { opened, serve } from "./http-support.ts";
import { ask, createManualClock, names, never, open, rawServer, said, thrown } from "./support.ts";

/** The times at which calls left that came at the times given. */
async function leaving(
  limit: { calls: number; perMs: number },
  arrivals: readonly number[],
): Promise<readonly number[]> {
  const clock = createManualClock();
  const rate = createRate(limit, clock);
  const left: number[] = [];
  // Step by step, so that whoever leaves sees the time at which it does.
  const step = async (): Promise<void> => {
    clock.advance(1);
    await Promise.resolve();
    await Promise.resolve();
  };
  for (const at of arrivals) {
    while (clock.now() < at) await step();
    void rate.take(never).then(() => left.push(clock.now()));
    await Promise.resolve();
    await Promise.resolve();
  }
  while (clock.pending > 0) await step();
  return left;
}

test(
  verifies("upstream:rate-limit", "no window holds more calls than the limit, and none waits without need"),
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 20 }),
        async (calls, perMs, gaps) => {
          let at = 0;
          const arrivals = gaps.map((gap) => (at += gap));
          const left = await leaving({ calls, perMs }, arrivals);
          const best: number[] = [];
          for (const arrival of arrivals)
            best.push(Math.max(arrival, best.at(-1) ?? 0, (best.at(-calls) ?? -Infinity) + perMs));
          expect(left).toEqual(best);
        },
      ),
      { numRuns: 200 },
    );
  },
);

test(
  verifies("upstream:rate-limit", "what a call would wait is what it waits, however many are in front"),
  async () => {
    const clock = createManualClock();
    const rate = createRate({ calls: 2, perMs: 100 }, clock);
    const expected = [0, 0, 100, 100, 200, 200, 300];
    const told: number[] = [];
    for (let n = 0; n < expected.length; n += 1) {
      told.push(rate.wait(0));
      void rate.take(never);
    }
    expect(told).toEqual(expected);
    expect(rate.wait(10)).toBe(800);
  },
);

test(
  verifies("upstream:rate-limit", "one who stops waiting leaves the line, and the next one moves up"),
  async () => {
    const clock = createManualClock();
    const rate = createRate({ calls: 1, perMs: 100 }, clock);
    await rate.take(never);
    const abort = new AbortController();
    const gone = thrown(rate.take(abort.signal));
    let through = false;
    void rate.take(never).then(() => (through = true));
    abort.abort(new Error("enough"));
    expect((await gone).message).toBe("enough");
    clock.advance(100);
    await Promise.resolve();
    await Promise.resolve();
    expect(through).toBe(true);
    expect(clock.pending).toBe(0);
  },
);

test(
  verifies(
    ["upstream:rate-limit", "upstream:sent"],
    "a call that could not leave in time is refused at once",
  ),
  async () => {
    const upstream = open({ ...rawServer(), rateLimit: { calls: 2, perMs: 3_600_000 } });
    expect(await said(ask(upstream, "echo", { n: 1 }))).toBe('{"n":1}');
    expect(await said(ask(upstream, "echo", { n: 2 }))).toBe('{"n":2}');
    const refused = await thrown(ask(upstream, "echo", { n: 3 }, { timeoutMs: 60_000 }));
    expect(refused).toMatchObject({ code: "CALL_UPSTREAM_UNAVAILABLE", data: { sent: false } });
    expect(refused.message).toMatch(/its limit is 2 calls in 3600000 ms, and the next turn comes in \d+ ms/);
    expect(refused.data["retryAfterMs"]).toBeGreaterThan(3_000_000);
    // Lists are no calls.
    expect(await names(upstream)).toContain("echo");
  },
);

test(
  verifies("upstream:rate-limit", "a call that waits for its turn can be cancelled, and was not sent"),
  async () => {
    const upstream = open({ ...rawServer(), rateLimit: { calls: 1, perMs: 50_000 } });
    await ask(upstream, "echo");
    const abort = new AbortController();
    const waiting = thrown(ask(upstream, "echo", {}, { signal: abort.signal, timeoutMs: 60_000 }));
    abort.abort();
    expect(await waiting).toMatchObject({ code: "CALL_CANCELLED", data: { sent: false } });
  },
);

test(
  verifies("upstream:concurrency", "the configuration of a server says how many calls it gets at one time"),
  async () => {
    const upstream = open({ ...rawServer(), concurrency: 1 }, { queue: 1 });
    await names(upstream);
    const calls = [ask(upstream, "slow", { ms: 50 }), ask(upstream, "slow", { ms: 50 })];
    const refused = await thrown(ask(upstream, "slow", { ms: 50 }));
    expect(refused.message).toContain("too many calls wait for it");
    await Promise.all(calls);
  },
);

test(
  verifies("upstream:rate", "while a server asks for quiet, no other call goes to it either"),
  async () => {
    const clock = createManualClock();
    let refused = false;
    const server = await serve({
      call(exchange) {
        if (refused) return exchange.answer({ content: [{ type: "text", text: "fine" }] });
        refused = true;
        exchange.refuse(429, "slow down", { "retry-after": "5" });
      },
    });
    const upstream = await opened(server, {}, { clock });
    const sent = (): number => server.seen.filter(({ method }) => method === "tools/call").length;
    const first = said(ask(upstream, "t"));
    // The wait that the server asked for is a timer beside that of the call.
    await expect.poll(() => clock.pending).toBe(2);
    const second = said(ask(upstream, "t"));
    clock.advance(4_999);
    expect(sent()).toBe(1);
    clock.advance(1);
    expect(await Promise.all([first, second])).toEqual(["fine", "fine"]);
    expect(sent()).toBe(3);
  },
);

test.each([
  ["concurrency", 0],
  ["concurrency", "many"],
  ["rateLimit", 5],
  ["rateLimit", { calls: 0, perMs: 1 }],
  ["rateLimit", { calls: 1 }],
  ["rateLimit", { calls: 1, perMs: 1, burst: 2 }],
])(
  verifies("upstream:config-shape", "a limit that means nothing is named by its path: %s %j"),
  (key, value) => {
    const servers = { a: { command: "x", [key]: value } };
    expect(() => parseServers(servers, { env: {} })).toThrow(new RegExp(`^mcpServers\\.a\\.${key}`));
  },
);
