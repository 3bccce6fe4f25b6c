// Laws of authorization with people in it: many calls at once, any policy, any answers.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAuditTrail } from "../../broker/audit/trail.ts";
import { createBroker } from "../../broker/broker.ts";
import { parsePolicy } from "../../broker/policy/parse.ts";
import { createTelemetry } from "../../broker/telemetry.ts";
import { createTokens } from "../../broker/tokenize.ts";
import { createLocalUpstream, defineTool } from "../../broker/upstream/local.ts";
import { createWitness, type RunWitness } from "../../broker/witness.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../contract/decision.ts";
import type { CallOutcome } from "../../contract/call.ts";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import type { RunResult } from "../../contract/result.ts";
import { verifies } from "../requirements.ts";

const NAMES = ["get", "put", "del"] as const;
type Name = (typeof NAMES)[number];
const MOST = 5;
const redactor = { redact: (text: string): string => text };
const clock = (): number => performance.now();
const witness = createWitness({
  audit: createAuditTrail({
    sink: undefined,
    bodies: "none",
    redactor,
    record: () => redactor,
    clock: Date.now,
  }),
  telemetry: createTelemetry({ bodies: false, record: () => redactor, peers: new Map(), clock }),
  clock,
  protocolVersion: () => undefined,
});

interface World {
  readonly effects: Readonly<Record<Name, "allow" | "ask" | "deny">>;
  readonly budgeted: "ask" | "deny";
  readonly answers: readonly ApprovalAnswer[];
  readonly calls: readonly { readonly name: Name; readonly valid: boolean }[];
}

const world: fc.Arbitrary<World> = fc.record({
  effects: fc.record({
    get: fc.constantFrom("allow", "ask", "deny"),
    put: fc.constantFrom("allow", "ask", "deny"),
    del: fc.constantFrom("allow", "ask", "deny"),
  }),
  budgeted: fc.constantFrom("ask", "deny"),
  answers: fc.array(
    fc
      .record(
        {
          decision: fc.constantFrom("allow", "allow", "deny"),
          scope: fc.constantFrom("once", "run", { until: "2999-01-01" }),
          about: fc.oneof(
            fc.constant("all" as const),
            fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 8 }),
          ),
        },
        { requiredKeys: ["decision"] },
      )
      .map(({ scope, ...rest }) =>
        typeof scope === "object"
          ? { ...rest, scope: "until", ...scope }
          : { ...rest, ...(scope && { scope }) },
      ),
    { minLength: 1, maxLength: 6 },
  ) as fc.Arbitrary<readonly ApprovalAnswer[]>,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      valid: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
    { minLength: 1, maxLength: 14 },
  ),
});

interface Told {
  /** Numbers of the calls that reached the tool. */
  readonly made: readonly number[];
  readonly questions: readonly { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer }[];
  readonly outcomes: readonly CallOutcome[];
}

async function live({ effects, budgeted, answers, calls }: World): Promise<Told> {
  const made: number[] = [];
  const questions: { request: ApprovalRequest; answer: ApprovalAnswer }[] = [];
  const input = { type: "object", properties: { seq: { type: "integer" } }, required: ["seq"] } as const;
  const run = (given: unknown): void => void made.push((given as { seq: number }).seq);
  const upstream = createLocalUpstream(
    "a",
    Object.fromEntries(NAMES.map((name) => [name, defineTool({ description: name, input, run })])),
  );
  const rules = NAMES.map((name) => ({ id: name, tools: `a.${name}`, effect: effects[name] }));
  const value = { rules, budgets: { run: { calls: MOST, then: budgeted } } };
  const policy = parsePolicy([{ source: "test", value }]);
  await using broker = createBroker({
    upstreams: [upstream],
    policy,
    tokens: createTokens({ kinds: policy.kinds, redactor, key: Buffer.alloc(32) }),
    approve(request) {
      const answer = answers[questions.length % answers.length] as ApprovalAnswer;
      questions.push({ request, answer });
      return Promise.resolve(answer);
    },
  });
  const { signal } = new AbortController();
  await broker.lists.load({});
  const outcomes: CallOutcome[] = [];
  const facts = { runId: "r", principal: "p", policy: "", labels: [], script: "" };
  await witness.run(facts, async (told: RunWitness) => {
    const opened = broker.openRun({ ...facts, limits: DEFAULT_LIMITS, witness: told });
    outcomes.push(
      ...(await Promise.all(
        calls.map(({ name, valid }, index) => {
          const argumentsJson = JSON.stringify({ seq: valid ? index + 1 : "x" });
          const request = { runId: "r", seq: index + 1, server: "a", tool: name, argumentsJson };
          return opened.call(request, {
            signal,
            holdWall: () => () => {},
            rest: () => new Promise<boolean>(() => {}),
            slot: { tryTake: () => true, take: () => Promise.resolve(), giveBack() {} },
          });
        }),
      )),
    );
    return { status: "completed", calls: [] } as unknown as RunResult;
  });
  return { made, questions, outcomes };
}

/** What a person allowed, by call and rule, going by the questions and answers alone. */
function allowed({ questions }: Told, calls: World["calls"]): (seq: number, rule: string) => boolean {
  return (seq, rule) =>
    questions.some(({ request, answer }) => {
      if (answer.decision !== "allow") return false;
      const named = (request.set ?? [request]).filter((one) => {
        if (answer.about === undefined) return one.seq === request.seq;
        return answer.about === "all" || answer.about.includes(one.seq);
      });
      return named.some(
        (one) =>
          one.rules.includes(rule) &&
          (one.seq === seq || ((answer.scope ?? "once") !== "once" && one.tool === calls[seq - 1]?.name)),
      );
    });
}

function holdsTrue(given: World, told: Told): void {
  const { effects, calls } = given;
  const isAllowed = allowed(told, calls);
  const askedAbout = told.questions.flatMap(({ request, answer }) => {
    const set = request.set ?? [request];
    return (answer.about === undefined ? [request] : set).map(({ seq, rules }) => `${seq} ${rules.join()}`);
  });
  // No call is asked about twice for the same reason once it had an answer.
  expect(new Set(askedAbout).size).toBe(askedAbout.length);
  for (const { request } of told.questions)
    for (const { seq, tool } of request.set ?? [request]) {
      expect(calls[seq - 1]).toMatchObject({ name: tool, valid: true });
      expect(effects[tool as Name]).not.toBe("deny");
    }
  // What was made was made once, is what the script was told, and was allowed.
  expect(new Set(told.made).size).toBe(told.made.length);
  expect(told.made.toSorted((a, b) => a - b)).toEqual(
    told.outcomes.flatMap(({ ok }, index) => (ok ? [index + 1] : [])),
  );
  let overBudget = 0;
  for (const seq of told.made) {
    const { name } = calls[seq - 1] as World["calls"][number];
    expect(effects[name]).not.toBe("deny");
    if (effects[name] === "ask") expect(isAllowed(seq, name)).toBe(true);
    if (isAllowed(seq, "budget:run")) overBudget += 1;
  }
  expect(told.made.length).toBeLessThanOrEqual(MOST + (given.budgeted === "ask" ? overBudget : 0));
}

test(
  verifies(
    ["approval:deny", "approval:set", "approval:invalid", "approval:grants"],
    "a law: nothing denied, invalid or unapproved is made, no budget is overspent, nobody is asked twice",
  ),
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(world, { minLength: 8, maxLength: 8 }), async (worlds) => {
        const told = await Promise.all(worlds.map(live));
        told.forEach((one, index) => holdsTrue(worlds[index] as World, one));
      }),
      { numRuns: Number(process.env["CALLGATE_PROPERTY_RUNS"] ?? 400) / 8 },
    );
  },
  600_000,
);
