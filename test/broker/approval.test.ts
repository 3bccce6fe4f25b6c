// Asking a person: what is shown, which calls an answer is about, and what becomes of the others.
import { afterAll, describe, expect, test } from "vitest";
import fc from "fast-check";
import { createApprovals, type ApprovalResult, type Asking } from "../../broker/approval.ts";
import { createGrantStore } from "../../broker/grants.ts";
import type { ApprovalAnswer, ApprovalRequest, Approve } from "../../contract/decision.ts";
import { createCallgate, defineTool, type Gate, type RunResult } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { facts, tool } from "./policy/support.ts";

const anything = { type: "object" } as const;
const done: string[] = [];
let reads = 0;
const requests: ApprovalRequest[] = [];
let answer: Approve = () => Promise.resolve({ decision: "deny" });
const rest = (): Promise<boolean> => Promise.resolve(true);
const once: ApprovalAnswer = { decision: "allow" };

const gate: Gate = await createCallgate({
  tools: {
    notes: {
      write: defineTool({
        description: "Writes.",
        input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
        run: (input: unknown) => {
          done.push((input as { title: string }).title);
          return "written";
        },
      }),
      read: defineTool({
        description: "Reads.",
        input: anything,
        annotations: { readOnlyHint: true },
        run: () => {
          reads += 1;
          return "read";
        },
      }),
      drop: defineTool({ description: "Drops.", input: anything, run: () => void done.push("dropped") }),
    },
  },
  policy: {
    default: "ask",
    rules: [
      { tools: "notes.read", effect: "allow" },
      { tools: "notes.drop", effect: "deny" },
    ],
  },
  approve(request, options) {
    requests.push(request);
    return answer(request, options);
  },
});
afterAll(() => gate[Symbol.asyncDispose]());

async function run(script: string, approve: Approve): Promise<RunResult> {
  done.length = 0;
  requests.length = 0;
  answer = approve;
  return gate.run(script, { check: "off" });
}
const together = (count: number): string =>
  `const all = await Promise.allSettled(Array.from({ length: ${count} }, (_, i) => notes.write({ title: "t" + (i + 1) })));
   return all.map((one) => one.status === "fulfilled" ? "done" : one.reason.code + ": " + one.reason.message);`;
const approving =
  (given: ApprovalAnswer): Approve =>
  () =>
    Promise.resolve(given);

describe("a request", () => {
  test(
    verifies("approval:request", "it names the line of the script, its text, and what was done"),
    async () => {
      await run("await notes.read({});\n\nawait notes.write({ title: 'one' });", approving(once));
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({
        seq: 2,
        server: "notes",
        tool: "write",
        arguments: { title: "one" },
        line: 3,
        source: "await notes.write({ title: 'one' });",
        calls: [{ seq: 1, tool: "read", status: "ok" }],
      });
      expect(requests[0]).not.toHaveProperty("set");
      expect(requests[0]).not.toHaveProperty("labels");
    },
  );

  test(verifies("approval:invalid", "arguments that fail validation are never put to a person"), async () => {
    const result = await run("await notes.write({ title: 7 })", approving(once));
    expect(result.error?.code).toBe("CALL_INVALID_ARGUMENTS");
    expect(requests).toEqual([]);
  });
});

describe("a set", () => {
  test(verifies("approval:set", "calls of one Promise.all are one question that lists each"), async () => {
    await run(together(20), approving({ ...once, about: "all" }));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.set?.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(requests[0]?.set?.[6]?.arguments).toEqual({ title: "t7" });
    expect(done).toHaveLength(20);
  });

  test(
    verifies(
      "approval:set",
      "a question lists more calls than may be at work at one time, and none of them waits",
    ),
    async () => {
      const script = `const asked = Array.from({ length: 50 }, (_, i) => notes.write({ title: "t" + i }));
        const read = await notes.read({});
        await Promise.all(asked);
        return read;`;
      const { output, usage } = await run(script, approving({ ...once, about: "all" }));
      expect(output).toBe("read");
      expect(requests.map(({ set }) => set?.length)).toEqual([50]);
      expect(done).toHaveLength(50);
      expect(usage.maxCallsInFlight).toBeLessThanOrEqual(32);
    },
  );

  test(
    verifies("limits:in-flight", "calls that wait for a person keep no other call from being made"),
    async () => {
      const script = `const asked = Array.from({ length: 40 }, (_, i) => notes.write({ title: "t" + i }));
        const read = await notes.read({});
        await Promise.allSettled(asked);
        return read;`;
      reads = 0;
      const { output } = await gate.run(script, {
        check: "off",
        limits: { callsInFlight: 1 },
        approve: async () => {
          await expect.poll(() => reads, { timeout: 30_000 }).toBe(1);
          return { decision: "deny" };
        },
      });
      expect(output).toBe("read");
    },
  );

  test(
    verifies(
      "approval:set",
      "calls that come long after each other in one turn of the script are one question",
    ),
    async () => {
      const script = `const all = [];
        for (let i = 0; i < 3; i++) {
          all.push(notes.write({ title: "t" + i }));
          for (let n = 0; n < 400_000; n++) Math.sqrt(n);
        }
        await Promise.all(all);`;
      await run(script, approving({ ...once, about: "all" }));
      expect(requests.map(({ set }) => set?.length)).toEqual([3]);
    },
  );

  test(verifies("approval:set", "an answer about some calls refuses the others"), async () => {
    const { output } = await run(
      together(4),
      approving({ ...once, about: [2, 4, 99], reason: "only the even ones" }),
    );
    expect(requests).toHaveLength(1);
    expect(done.toSorted()).toEqual(["t2", "t4"]);
    expect(output.match(/CALL_APPROVAL_REJECTED[^"]*only the even ones/g)).toHaveLength(2);
  });

  test(verifies("approval:set", "no more than 200 calls are in one question"), async () => {
    const script = together(250);
    requests.length = 0;
    done.length = 0;
    answer = approving({ ...once, about: "all" });
    await gate.run(script, { check: "off", limits: { callsInFlight: 250 } });
    expect(requests.map(({ set }) => set?.length)).toEqual([200, 50]);
    expect(done).toHaveLength(250);
  });

  test(verifies("approval:simple", "an approver that knows no sets is asked about each call"), async () => {
    await run(together(5), approving(once));
    expect(requests.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(requests.map(({ set }) => set?.length)).toEqual([5, 4, 3, 2, undefined]);
    expect(done).toHaveLength(5);
  });

  test(verifies("approval:simple", "its yes to one call says nothing of the next"), async () => {
    await run(together(3), ({ seq }) => Promise.resolve({ decision: seq === 2 ? "allow" : "deny" }));
    expect(done).toEqual(["t2"]);
  });

  test(verifies("approval:grants", "a grant for the run spares the calls that wait behind it"), async () => {
    await run(together(5), approving({ ...once, scope: "run" }));
    expect(requests).toHaveLength(1);
    expect(done).toHaveLength(5);
  });
});

test(
  verifies("approval:grants", "a grant until a time holds for its principal in later runs, and for no other"),
  async () => {
    const script = "await notes.write({ title: 'later' })";
    const until = { ...once, scope: "until", until: Date.now() + 3_600_000 } as const;
    done.length = 0;
    requests.length = 0;
    answer = (request) =>
      Promise.resolve(requests.length === 1 ? until : { decision: "deny", reason: request.runId });
    for (const principal of ["ann", "ann", "bob", "ann"]) await gate.run(script, { check: "off", principal });
    expect(requests).toHaveLength(2);
    expect(done).toEqual(["later", "later", "later"]);
  },
);

describe("a refusal", () => {
  test.each<[string, unknown]>([
    ["a no", { decision: "deny" }],
    ["nothing", undefined],
    ["a word", "allow"],
    ["another word", { decision: "yes" }],
    ["an unknown scope", { decision: "allow", scope: "always" }],
    ["an end in the past", { decision: "allow", scope: "until", until: "2001-01-01" }],
    ["no end", { decision: "allow", scope: "until" }],
    ["an end that is no time", { decision: "allow", scope: "until", until: "tomorrow" }],
    [
      "a bound under a name that is none",
      { decision: "allow", patern: { title: { equals: "one" } } } as never,
    ],
    ["a time with another scope", { decision: "allow", scope: "run", until: Date.now() + 60_000 }],
    ["a pattern that cannot be read", { decision: "allow", pattern: { title: { equal: "one" } } }],
    ["a pattern of nothing", { decision: "allow", pattern: {} }],
    ["a pattern that does not hold", { decision: "allow", pattern: { title: { equals: "two" } } }],
    ["a list without the call", { decision: "allow", about: [7] }],
    ["a list that is none", { decision: "allow", about: 1 }],
  ])(verifies("approval:refused", "%s is a no"), async (_, given) => {
    const result = await run("await notes.write({ title: 'one' })", approving(given as ApprovalAnswer));
    expect(result.error?.code).toBe("CALL_APPROVAL_REJECTED");
    expect(done).toEqual([]);
  });

  test(verifies("approval:refused", "the reason of a no reaches the script, bounded"), async () => {
    const script = "try { await notes.write({ title: 'one' }) } catch (e) { return e.message }";
    const { output } = await run(
      script,
      approving({ decision: "deny", reason: `not today${"!".repeat(9_000)}` }),
    );
    expect(output).toContain("not today");
    expect(output.length).toBeLessThan(1_000);
  });

  test(verifies("approval:refused", "an approver that fails refuses"), async () => {
    const result = await run("await notes.write({ title: 'one' })", () =>
      Promise.reject(new Error("no screen")),
    );
    expect(result.error?.message).toContain("no screen");
    expect(done).toEqual([]);
  });

  test(verifies("approval:deny", "what is denied is never put to a person"), async () => {
    const result = await run("await notes.drop({})", approving({ ...once, scope: "run" }));
    expect(result.error?.code).toBe("CALL_DENIED");
    expect(requests).toEqual([]);
    expect(done).toEqual([]);
  });
});

/** Approvals by themselves, with a short time limit. */
function approvalsOf(
  approve: Approve | undefined,
  timeoutMs: number = 60_000,
): ReturnType<typeof createApprovals> {
  const grants = createGrantStore({ clock: Date.now }).openRun();
  return createApprovals({
    runId: "r",
    approve,
    timeoutMs,
    grants,
    receipts: () => [],
    clock: Date.now,
  });
}
function asking(seq: number, rules: readonly string[] = ["r1"]): Asking {
  const call = { seq, server: "s", tool: "t", arguments: { seq }, reason: "why", rules };
  return { call, rules, sources: undefined, facts: facts(tool("s", "t"), { seq }) };
}
const never = new AbortController().signal;

test(verifies("approval:refused", "time that runs out refuses every call of the question"), async () => {
  const slow = approvalsOf(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("late")));
      }),
    5,
  );
  const results = await Promise.all([1, 2, 3].map((seq) => slow.ask(asking(seq), { signal: never, rest })));
  // CALL_APPROVAL_EXPIRED is what the script reads.
  expect(results.map(({ type }) => type)).toEqual(["expired", "expired", "expired"]);
});

test(verifies("approval:refused", "a call that is gone takes its question back"), async () => {
  const controller = new AbortController();
  let taken = false;
  const approvals = approvalsOf(
    (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => (taken = true));
        controller.abort();
      }),
  );
  expect(await approvals.ask(asking(1), { signal: controller.signal, rest })).toEqual({ type: "expired" });
  expect(taken).toBe(true);
  expect(await approvals.ask(asking(2), { signal: controller.signal, rest })).toEqual({ type: "expired" });
});

test(verifies("approval:refused", "with nobody to ask there is no question"), async () => {
  expect(await approvalsOf(undefined).ask(asking(1), { signal: never, rest })).toEqual({ type: "nobody" });
});

const wild = fc.record(
  {
    decision: fc.constantFrom("allow", "deny"),
    about: fc.oneof(fc.constant("all"), fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 })),
    reason: fc.string(),
  },
  { requiredKeys: ["decision"] },
) as fc.Arbitrary<ApprovalAnswer>;

test(
  verifies(
    ["approval:set", "approval:simple"],
    "whatever is answered, no call is allowed that the answer does not name, and none is asked about again that it names",
  ),
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(wild, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        async (answers, count) => {
          const allowed = new Set<number>();
          const answered = new Set<number>();
          let next = 0;
          const approvals = approvalsOf((request) => {
            const given = answers[next++ % answers.length] as ApprovalAnswer;
            const set = (request.set ?? [request]).map(({ seq }) => seq);
            for (const seq of set) expect(answered.has(seq)).toBe(false);
            const { about } = given;
            const covered = about === undefined ? [request.seq] : set;
            for (const seq of covered) {
              answered.add(seq);
              const named = about === undefined || about === "all" || about.includes(seq);
              if (given.decision === "allow" && named) allowed.add(seq);
            }
            return Promise.resolve(given);
          });
          const seqs = Array.from({ length: count }, (_, index) => index + 1);
          const results = await Promise.all(
            seqs.map(async (seq): Promise<[number, ApprovalResult]> => [
              seq,
              await approvals.ask(asking(seq), { signal: never, rest }),
            ]),
          );
          for (const [seq, { type }] of results) expect(type === "granted").toBe(allowed.has(seq));
          expect(answered.size).toBe(count);
        },
      ),
      { numRuns: 60 },
    );
  },
);
