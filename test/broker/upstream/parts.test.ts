// The small parts: deadlines, slots, back-off, lines, printable text, failures.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBackoff } from "../../../broker/upstream/backoff.ts";
import { pause, raced, settledWithin } from "../../../broker/upstream/clock.ts";
import { createDeadline } from "../../../broker/upstream/deadline.ts";
import { forgetEra, eraKey, rememberedEra, rememberEra } from "../../../broker/upstream/era.ts";
import { readFailure } from "../../../broker/upstream/failure.ts";
import { createLineReader } from "../../../broker/upstream/lines.ts";
import { printable, withoutSecrets } from "../../../broker/upstream/printable.ts";
import { labelledRetryAfter, labelRetryAfter, readRetryAfter } from "../../../broker/upstream/retry-after.ts";
import { createSlots } from "../../../broker/upstream/slots.ts";
import { verifies } from "../../requirements.ts";
import { createManualClock, never } from "./support.ts";

test(verifies("upstream:timeout", "a deadline ends at its limit, once, and says why"), () => {
  const clock = createManualClock();
  using deadline = createDeadline({ signals: [never], timeoutMs: 100, clock });
  clock.advance(99);
  expect(deadline.ended()).toBeUndefined();
  clock.advance(1);
  expect(deadline.ended()).toBe("timeout");
  expect(deadline.signal.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test(
  verifies("upstream:progress", "a deadline can be extended up to ten times its limit and no further"),
  () => {
    const clock = createManualClock();
    using deadline = createDeadline({ signals: [], timeoutMs: 100, clock });
    for (let at = 0; at < 11; at += 1) {
      clock.advance(90);
      deadline.extend();
    }
    expect(deadline.ended()).toBeUndefined();
    clock.advance(9);
    expect(deadline.ended()).toBeUndefined();
    clock.advance(1);
    expect(deadline.ended()).toBe("timeout");
    deadline.extend();
    expect(clock.pending).toBe(0);
  },
);

test(verifies("upstream:cancel", "the first cause of an end stays the cause"), () => {
  const clock = createManualClock();
  const abort = new AbortController();
  using first = createDeadline({ signals: [never, abort.signal], timeoutMs: 100, clock });
  abort.abort();
  clock.advance(200);
  expect(first.ended()).toBe("cancelled");
  using second = createDeadline({ signals: [abort.signal], timeoutMs: 100, clock });
  expect([second.ended(), second.signal.aborted, clock.pending]).toEqual(["cancelled", true, 0]);
});

test(verifies("upstream:timeout", "a limit beyond what timers can count does not fire at once"), () => {
  const clock = createManualClock();
  using deadline = createDeadline({ signals: [], timeoutMs: Number.POSITIVE_INFINITY, clock });
  clock.advance(2_000_000_000);
  expect(deadline.ended()).toBeUndefined();
});

test(
  verifies("upstream:cancel", "waits end early when their signal aborts, and leave no timer"),
  async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const wait = pause(clock, 1_000, abort.signal);
    abort.abort(new Error("why"));
    await wait;
    await pause(clock, 1_000, abort.signal);
    await expect(raced(new Promise(() => {}), abort.signal)).rejects.toThrow("why");
    await settledWithin(clock, Promise.reject(new Error("x")), 1_000);
    expect(clock.pending).toBe(0);
    const bounded = settledWithin(clock, new Promise(() => {}), 1_000);
    clock.advance(1_000);
    await bounded;
  },
);

test(
  verifies("upstream:concurrency", "slots are bounded, queued in order, and given back once"),
  async () => {
    const slots = createSlots(2, 2);
    const [a, b] = await Promise.all([slots.take(never), slots.take(never)]);
    const order: number[] = [];
    const third = slots.take(never).then((give) => (order.push(3), give));
    const fourth = slots.take(never).then((give) => (order.push(4), give));
    expect(await slots.take(never)).toBeUndefined();
    a?.();
    a?.();
    (await third)?.();
    (await fourth)?.();
    b?.();
    expect(order).toEqual([3, 4]);
    expect(await slots.take(never)).toBeTypeOf("function");
  },
);

test(verifies("upstream:concurrency", "one who stops waiting frees the place in the queue"), async () => {
  const slots = createSlots(1, 1);
  const held = await slots.take(never);
  const abort = new AbortController();
  const waiting = slots.take(abort.signal);
  abort.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(slots.take(abort.signal)).rejects.toThrow("gone");
  const next = slots.take(never);
  held?.();
  expect(await next).toBeTypeOf("function");
});

test(
  verifies("upstream:concurrency", "never more than the limit are out, whatever the order of events"),
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 60 }), async (steps) => {
        const slots = createSlots(3, 100);
        let out = 0;
        const held: (() => void)[] = [];
        for (const step of steps) {
          if (step === 0) held.shift()?.();
          else {
            void slots.take(never).then((give) => {
              out += 1;
              held.push(() => {
                out -= 1;
                give?.();
              });
            });
          }
          await new Promise((resolve) => setImmediate(resolve));
          expect(out).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 20 },
    );
  },
);

test(verifies("upstream:backoff", "failed starts are spaced ever further, up to half a minute"), () => {
  const backoff = createBackoff();
  const waits = Array.from({ length: 8 }, () => {
    backoff.startFailed(0);
    return backoff.remaining(0);
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(backoff.remaining(29_000)).toBe(1_000);
  backoff.succeeded();
  backoff.startFailed(40_000);
  expect(backoff.remaining(40_000)).toBe(1_000);
});

test(
  verifies("upstream:backoff", "the first death costs no wait, a series does, a healthy run ends the series"),
  () => {
    const backoff = createBackoff();
    backoff.crashed(100, 0);
    expect(backoff.remaining(100)).toBe(0);
    backoff.crashed(200, 100);
    expect(backoff.remaining(200)).toBe(250);
    backoff.crashed(600, 500);
    expect(backoff.remaining(600)).toBe(500);
    backoff.crashed(40_000, 1_000);
    expect(backoff.remaining(40_000)).toBe(0);
  },
);

function linesOf(
  chunks: readonly Buffer[],
  maxBytes = 1_000,
): { lines: string[]; oversize: [string, string][] } {
  const lines: string[] = [];
  const oversize: [string, string][] = [];
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOversize: (head, tail) => oversize.push([head, tail]),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { lines, oversize };
}

test(
  verifies("upstream:stdout-noise", "lines are the same however the stream is cut, within characters too"),
  () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(20)), (texts, cuts) => {
        const expected = texts.map((text) => text.replaceAll(/[\r\n]/g, ""));
        let rest = Buffer.from(expected.map((line) => `${line}\n`).join(""));
        const chunks: Buffer[] = [];
        for (const cut of cuts) {
          chunks.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        expect(linesOf([...chunks, rest], 1_000_000).lines).toEqual(
          expected.map((line) => line.toWellFormed()),
        );
      }),
    );
  },
);

test(verifies("upstream:stdout-noise", "both kinds of line break end a line"), () => {
  expect(linesOf([Buffer.from("a\r\nb\n\nc")]).lines).toEqual(["a", "b", ""]);
});

test(
  verifies(
    "upstream:oversize",
    "a line beyond the limit is skipped with its ends kept, the next one is read",
  ),
  () => {
    const chunks = [
      "{start",
      ..."x"
        .repeat(50)
        .split("")
        .map((x) => x.repeat(100)),
      "end}\nnext\n",
    ].map((text) => Buffer.from(text));
    const { lines, oversize } = linesOf(chunks);
    expect(lines).toEqual(["next"]);
    expect(oversize).toHaveLength(1);
    expect(oversize[0]?.[0]).toMatch(/^\{start/);
    expect(oversize[0]?.[1]).toMatch(/end\}$/);
    expect(oversize[0]?.[1].length).toBe(512);
  },
);

test(verifies("upstream:messages", "printable text is one line, bounded, without control characters"), () => {
  expect(printable("a\n\tb\u001b[31mc\u202ed")).toBe("a b [31mc d");
  expect(printable("a\u{e0141}\ufe01b\u3164c\u{e0041}d \u26a0\ufe0f")).toBe("a b c d \u26a0\ufe0f");
  expect(printable("x".repeat(300))).toBe(`${"x".repeat(199)}…`);
  expect(printable(`${"x".repeat(198)}😀😀`)).toBe(`${"x".repeat(198)}…`);
  expect(printable(undefined)).toBe("undefined");
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.integer({ min: 1, max: 50 }),
      (text, limit) => {
        const clean = printable(text, limit);
        expect(clean.length).toBeLessThanOrEqual(limit);
        expect(clean).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
        expect(clean.isWellFormed()).toBe(true);
      },
    ),
  );
});

test(
  verifies("upstream:messages", "secrets are replaced, longest first; short values are left alone"),
  () => {
    expect(withoutSecrets("key=abcdef-long abcdef 123", ["abcdef", "abcdef-long", "123"])).toBe(
      "key=«redacted» «redacted» 123",
    );
  },
);

test(verifies("upstream:era-remembered", "eras are kept by configuration, secrets not in the key"), () => {
  const a = eraKey({ command: "x", env: { TOKEN: "s3cret" } });
  expect(a).not.toBe(eraKey({ command: "x", env: { TOKEN: "other" } }));
  expect(a).not.toContain("s3cret");
  expect(rememberedEra(a)).toBeUndefined();
  rememberEra(a, "legacy");
  expect(rememberedEra(a)).toBe("legacy");
  forgetEra(a);
  expect(rememberedEra(a)).toBeUndefined();
});

const http = (status: number, text = ""): SdkHttpError =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "Error POSTing to endpoint", { status, text });

test.each<[string, unknown, object]>([
  [
    "an error of the server",
    new ProtocolError(-32_603, "boom"),
    { kind: "rpc", code: -32_603, message: "boom" },
  ],
  ["a lost session", http(404, "Session not found"), { kind: "session-lost" }],
  [
    "a lost session, said otherwise",
    http(400, "Bad Request: No valid session ID provided"),
    { kind: "session-lost" },
  ],
  ["another 400", http(400, "bad arguments"), { kind: "unavailable", sent: false, status: 400 }],
  [
    "no authorization",
    http(401),
    { kind: "unavailable", sent: false, message: expect.stringContaining("HTTP 401") },
  ],
  [
    "no access",
    http(403, "scope"),
    { kind: "unavailable", sent: false, message: expect.stringContaining("scope") },
  ],
  [
    "a redirect",
    http(302),
    { kind: "unavailable", sent: false, message: expect.stringContaining("redirects") },
  ],
  ["a broken server", http(502, "bad gateway"), { kind: "unavailable", sent: true }],
  ["a closed connection", new SdkError(SdkErrorCode.ConnectionClosed, "closed"), { dead: true, sent: true }],
  ["no connection", new Error("Not connected"), { dead: true, sent: false }],
  [
    "nobody there",
    new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }),
    { sent: false, dead: false },
  ],
  ["no such host", new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }), { sent: false }],
  ["a reset", new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }), { sent: true }],
  ["a result of no use", new SdkError(SdkErrorCode.InvalidResult, "bad"), { kind: "unusable" }],
  ["text", "odd", { kind: "unavailable", message: "odd" }],
])(
  verifies("upstream:sent", "what an error means, and whether the request may have arrived: %s"),
  (_n, error, expected) => {
    expect(readFailure(error, { sent: true, session: true })).toMatchObject(expected);
  },
);

test(verifies("upstream:sent", "a 404 without a session is no lost session"), () => {
  expect(readFailure(http(404), { sent: true, session: false })).toMatchObject({
    kind: "unavailable",
    status: 404,
  });
});

test.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "2" }, 2_000],
  [{ "retry-after": " 0 " }, 0],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 10_000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", date: "Wed, 21 Oct 2026 07:28:10 GMT" }, 0],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "99999999999" }, undefined],
  [{}, undefined],
])(
  verifies("upstream:rate", "how long a server asks to wait is read from its headers: %j"),
  (headers, wait) => {
    expect(readRetryAfter(new Headers(headers))).toBe(wait);
    for (const status of [429, 503]) {
      const response = labelRetryAfter(new Response("x", { status, statusText: "No", headers }));
      expect(labelledRetryAfter(response.statusText)).toBe(wait);
      expect(response.status).toBe(status);
    }
    expect(labelRetryAfter(new Response("x", { status: 200, statusText: "OK", headers })).statusText).toBe(
      "OK",
    );
  },
);
