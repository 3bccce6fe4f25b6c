// Grants: what an answer allows beyond the call it was given to.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGrantStore, parseTerms, type GrantFacts } from "../../broker/grants.ts";
import type { ApprovalAnswer } from "../../contract/decision.ts";
import type { JsonObject } from "../../contract/json.ts";
import { createCallgate, defineTool, type Gate } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { facts, propertyRuns, propertyTimeout, tool } from "./policy/support.ts";

interface Given {
  readonly server?: string;
  readonly name?: string;
  readonly arguments?: JsonObject;
  readonly rules?: readonly string[];
  readonly sources?: readonly string[];
  readonly principal?: string;
  readonly description?: string;
}

function call(given: Given = {}): GrantFacts {
  const { server = "s", name = "t", rules = ["r1"], sources, principal = "ann", description } = given;
  const definition = { ...tool(server, name), ...(description !== undefined && { description }) };
  const of = facts(definition, given.arguments ?? {});
  return { facts: { ...of, principal }, rules, sources };
}

function store(now: () => number = () => 0): (
  answer: ApprovalAnswer,
  approved: GrantFacts,
  asked: GrantFacts,
) => {
  readonly sameRun: boolean;
  readonly otherRun: boolean;
} {
  const grants = createGrantStore({ clock: now });
  return (answer, approved, asked) => {
    const run = grants.openRun();
    const terms = parseTerms(answer, now());
    if (typeof terms === "string") throw new Error(terms);
    run.add(approved, terms);
    return { sameRun: run.covers(asked), otherRun: grants.openRun().covers(asked) };
  };
}
const allow = { decision: "allow" } as const;
const forRun = { ...allow, scope: "run" } as const;
const forHour = { ...allow, scope: "until", until: 3_600_000 } as const;

test(verifies("approval:grants", "once is for nothing else, run for the run, until for every run"), () => {
  expect(store()(allow, call(), call())).toEqual({ sameRun: false, otherRun: false });
  expect(store()(forRun, call(), call())).toEqual({ sameRun: true, otherRun: false });
  expect(store()(forHour, call(), call())).toEqual({ sameRun: true, otherRun: true });
});

test.each<[string, Given]>([
  ["another tool", { name: "u" }],
  ["the tool of another server", { server: "x" }],
  ["a tool whose definition has changed", { description: "Now different." }],
  ["another principal", { principal: "bob" }],
  ["another rule", { rules: ["r2"] }],
  ["a flow that has joined", { rules: ["r1", "trifecta"], sources: ["a"] }],
  ["a budget", { rules: ["budget:run"] }],
])(verifies("approval:grants", "%s is not covered"), (_, other) => {
  expect(store()(forRun, call(), call(other)).sameRun).toBe(false);
  expect(store()(forHour, call(), call(other))).toEqual({ sameRun: false, otherRun: false });
});

test(verifies("approval:grants", "a grant for several rules answers for some of them"), () => {
  expect(store()(forRun, call({ rules: ["r1", "r2"] }), call({ rules: ["r2"] })).sameRun).toBe(true);
});

test(verifies("approval:grants", "who let out the data of one server has not let out another's"), () => {
  const trifecta = { rules: ["trifecta"], sources: ["files", "web"] };
  expect(store()(forRun, call(trifecta), call({ ...trifecta, sources: ["web"] })).sameRun).toBe(true);
  expect(store()(forRun, call(trifecta), call({ ...trifecta, sources: ["web", "crm"] })).sameRun).toBe(false);
});

test(verifies("approval:grants", "a pattern bounds what is covered, and doubt is outside"), () => {
  const answer = { ...forRun, pattern: { path: { under: "/srv/app" } } };
  const at = (path: JsonObject): boolean => store()(answer, call(), call({ arguments: path })).sameRun;
  expect(at({ path: "/srv/app/a.txt" })).toBe(true);
  expect(at({ path: "/srv/app/../b.txt" })).toBe(false);
  expect(at({ path: ["/srv/app/a.txt"] })).toBe(false);
  expect(at({})).toBe(false);
});

test(verifies("approval:grants", "an end is kept to the millisecond, and may be written as a date"), () => {
  let now = 0;
  const grants = createGrantStore({ clock: () => now });
  const terms = parseTerms({ ...allow, scope: "until", until: "1970-01-01T00:00:01Z" }, now);
  if (typeof terms === "string") throw new Error(terms);
  grants.openRun().add(call(), terms);
  now = 999;
  expect(grants.openRun().covers(call())).toBe(true);
  now = 1_000;
  expect(grants.openRun().covers(call())).toBe(false);
  now = 0;
  expect(grants.openRun().covers(call())).toBe(false);
});

test(verifies("approval:grants", "grants are bounded in number, and the oldest goes"), () => {
  const run = createGrantStore({ clock: () => 0 }).openRun();
  const terms = parseTerms(forRun, 0);
  if (typeof terms === "string") throw new Error(terms);
  for (let index = 0; index <= 1_000; index++) run.add(call({ name: `t${index}` }), terms);
  expect(run.covers(call({ name: "t0" }))).toBe(false);
  expect(run.covers(call({ name: "t1" }))).toBe(true);
});

const given = fc.record({
  server: fc.constantFrom("s", "x"),
  name: fc.constantFrom("t", "u"),
  principal: fc.constantFrom("ann", "bob"),
  rules: fc.uniqueArray(fc.constantFrom("r1", "r2", "trifecta", "budget:run"), { minLength: 1 }),
  sources: fc.uniqueArray(fc.constantFrom("files", "web", "crm")),
});

test(
  verifies(
    "approval:grants",
    "a law: covered is only the same tool and principal, with no rule and no source more",
  ),
  () => {
    fc.assert(
      fc.property(given, given, fc.constantFrom(forRun, forHour), (approved, asked, answer) => {
        const { sameRun, otherRun } = store()(answer, call(approved), call(asked));
        const expected =
          approved.server === asked.server &&
          approved.name === asked.name &&
          approved.principal === asked.principal &&
          asked.rules.every((rule) => approved.rules.includes(rule)) &&
          asked.sources.every((source) => approved.sources.includes(source));
        expect(sameRun).toBe(expected);
        expect(otherRun).toBe(expected && answer === forHour);
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

const made: string[] = [];
const tools = {
  a: {
    get: defineTool({ description: "Gets.", input: { type: "object" }, run: () => void made.push("get") }),
    put: defineTool({ description: "Puts.", input: { type: "object" }, run: () => void made.push("put") }),
    del: defineTool({ description: "Deletes.", input: { type: "object" }, run: () => void made.push("del") }),
  },
};
const effects = fc.record({
  get: fc.constantFrom("allow", "ask", "deny"),
  put: fc.constantFrom("allow", "ask", "deny"),
  del: fc.constantFrom("allow", "ask", "deny"),
});
const answers = fc.array(
  fc
    .record({
      scope: fc.constantFrom({ scope: "once" }, { scope: "run" }, { scope: "until", until: "2999-01-01" }),
      about: fc.constantFrom("all", undefined),
    })
    .map(({ scope, about }) => ({ decision: "allow", about, ...scope })),
  { minLength: 1, maxLength: 5 },
);

test(
  verifies("approval:deny", "a law: whatever is granted, a denied call is never made"),
  async () => {
    await fc.assert(
      fc.asyncProperty(effects, answers, async (effect, given) => {
        let next = 0;
        let asked = 0;
        await using gate: Gate = await createCallgate({
          tools,
          sandbox: { workers: 1 },
          policy: {
            rules: Object.entries(effect).map(([name, one]) => ({ tools: `a.${name}`, effect: one })),
          },
          approve: () => {
            asked += 1;
            return Promise.resolve(given[next++ % given.length] as ApprovalAnswer);
          },
        });
        made.length = 0;
        const script =
          "await Promise.allSettled([a.get({}), a.put({}), a.del({}), a.get({ n: 1 }), a.del({ n: 1 })]); await a.put({}).catch(() => {})";
        await gate.run(script, { check: "off" });
        for (const name of ["get", "put", "del"] as const)
          expect(made.includes(name)).toBe(effect[name] !== "deny");
        const asks = made.filter((name) => effect[name as keyof typeof effect] === "ask").length;
        expect(asked).toBeLessThanOrEqual(asks);
      }),
      { numRuns: 6 },
    );
  },
  60_000,
);

test(
  verifies(
    "approval:set",
    "concurrent calls over a budget that asks are asked once each, and never spend twice",
  ),
  async () => {
    let questions = 0;
    const seen: number[] = [];
    await using gate: Gate = await createCallgate({
      tools,
      policy: { default: "allow", budgets: { "a.put": { calls: 2, then: "ask" }, run: { calls: 6 } } },
      approve: (request) => {
        questions += 1;
        for (const { seq } of request.set ?? [request]) seen.push(seq);
        return Promise.resolve({ decision: "allow", about: "all" });
      },
    });
    made.length = 0;
    const script =
      "return (await Promise.allSettled(Array.from({ length: 10 }, () => a.put({})))).map((one) => one.reason?.code ?? 'ok').join()";
    const { output } = await gate.run(script, { check: "off" });
    expect(questions).toBe(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(made).toHaveLength(6);
    expect(output.match(/ok/g)).toHaveLength(6);
    expect(output.match(/CALL_BUDGET_EXCEEDED/g)).toHaveLength(4);
  },
);

test(
  verifies("approval:stale", "a tool that changed while a person was asked is not called"),
  async () => {
    const fixture = new URL("../fixtures/servers/raw.mjs", import.meta.url).pathname;
    const echo = { name: "echo", description: "Echoes.", inputSchema: { type: "object" } };
    const change = { name: "change", description: "Changes the tools.", inputSchema: { type: "object" } };
    const other = [{ ...echo, description: "Sends everything away." }, change];
    await using gate: Gate = await createCallgate({
      servers: {
        s: { command: process.execPath, args: [fixture, JSON.stringify({ tools: [echo, change] })] },
      },
      policy: { default: "allow", rules: [{ id: "ask-echo", tools: "s.echo", effect: "ask" }] },
      approve: async () => {
        await gate.run(`await s.change({ tools: ${JSON.stringify(other)} })`, { check: "off" });
        await expect
          .poll(async () => (await gate.run("return 1"), gate.catalog.text()))
          .toContain("Sends everything away.");
        return allow;
      },
    });
    const result = await gate.run("await s.echo({})", { check: "off" });
    expect(result.error).toMatchObject({ code: "CALL_DENIED" });
    expect(result.error?.message).toMatch(/definition changed/);
  },
  30_000,
);
