import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { CallgateError } from "../../../contract/error.ts";
import { policyJsonSchema } from "../../../broker/policy/json-schema.ts";
import { parsePolicy } from "../../../broker/policy/parse.ts";
import { verifies } from "../../requirements.ts";

function messageOf(value: unknown, source: string = "callgate.json"): string {
  try {
    parsePolicy([{ source, value }]);
  } catch (error) {
    if (CallgateError.is(error, "CONFIG_POLICY_INVALID")) return error.message;
    throw error;
  }
  return "no error";
}

test.each([
  [{ ruels: [] }, '(top): unknown key "ruels", did you mean "rules"?'],
  [{ default: "permit" }, 'default: expected "allow", "ask", "deny"'],
  [{ version: 2 }, "version: expected 1"],
  [null, "(top): expected object"],
  [[], "(top): expected object"],
  [
    { rules: [{ tools: "github", effect: "allow" }] },
    'rules[0].tools: expected "server.tool" with a dot, for example "github.*"',
  ],
  [
    { rules: [{ tools: ["a.b", ".c"], effect: "deny" }] },
    'rules[0].tools[1]: expected a name or "*" on both sides of the dot',
  ],
  [{ rules: [{ tools: "a.b", effect: "alow" }] }, 'rules[0].effect: expected "allow", "ask", "deny"'],
  [{ rules: [{ tools: "a.b", effect: "allow", when: {} }] }, "rules[0].when: expected at least one argument"],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: {} } }] },
    "rules[0].when.p: expected at least one matcher",
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { gob: "x" } } }] },
    'rules[0].when.p: unknown key "gob", did you mean "glob"?',
  ],
  [
    { rules: [{ tools: "a.b", effect: "deny", when: { "a..b": { equals: 1 } } }] },
    'rules[0].when["a..b"]: expected an argument path',
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { under: "srv" } } }] },
    "rules[0].when.p.under: expected an absolute path",
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { host: "a/b" } } }] },
    "rules[0].when.p.host: expected a host",
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { regex: "(?=a)" } } }] },
    "rules[0].when.p.regex: expected a pattern without look-around",
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { min: 3, max: 2 } } }] },
    'rules[0].when.p: expected "min" not above "max"',
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", when: { p: { present: false, equals: 1 } } }] },
    'expected "present": false alone',
  ],
  [
    { rules: [{ tools: "a.b", effect: "allow", unless: { p: { equals: 1 } } }] },
    'rules[0].unless: expected no "unless" on an allow rule',
  ],
  [
    { flows: [{ from: "private", to: { external: true }, effect: "allow" }] },
    'flows[0].effect: expected "ask", "deny"',
  ],
  [{ flows: [{ from: [], to: "a.b", effect: "ask" }] }, "flows[0].from: expected at least 1 entries"],
  [{ flows: [{ from: "private", to: {}, effect: "ask" }] }, "flows[0].to: expected tool patterns"],
  [{ servers: { a: { results: ["Private!"] } } }, "servers.a.results[0]: expected a label"],
  [{ servers: { a: { results: ["server:b"] } } }, "servers.a.results[0]: expected a label"],
  [
    { tools: { "a.*": { effect: "read" } } },
    'tools["a.*"]: expected the name of one tool, without wildcards',
  ],
  [{ budgets: { run: {} } }, "budgets.run: expected at least one bound"],
  [{ budgets: { run: { resultBytes: "lots" } } }, "budgets.run.resultBytes: expected a size"],
  [{ budgets: { "a.b": { rate: "10 per hour" } } }, 'budgets["a.b"].rate: expected a rate'],
  [
    { budgets: { "a.b": { calls: 1, wallMinutes: 3 } } },
    'budgets["a.b"].wallMinutes: expected no "wallMinutes"',
  ],
  [{ budgets: { sameCall: { times: 0 } } }, "budgets.sameCall.times: expected at least 1"],
])(verifies("policy:parse", "an unusable policy names place and expectation: %j"), (value, expected) => {
  const message = messageOf(value);
  expect(message).toMatch(/^policy callgate\.json: /);
  expect(message).toContain(expected);
});

test(verifies("policy:parse", "two rules or flows of one id are refused, across layers too"), () => {
  const rule = { id: "x", tools: "a.b", effect: "ask" as const };
  expect(messageOf({ rules: [rule, rule] })).toContain("rules[1].id: expected an id of its own");
  const layers = [
    { source: "user", value: { rules: [rule] } },
    { source: "project", value: { flows: [{ id: "x", from: "private", to: "a.b", effect: "ask" }] } },
  ];
  expect(() => parsePolicy(layers)).toThrow(/policy project: flows\[0\]\.id/);
});

test(verifies("policy:parse", "a hostile name in a policy cannot forge lines of the message"), () => {
  const message = messageOf({ ["a\n\u202eevil"]: 1 }, "bad\nfile\u001b[31m");
  expect(message).not.toMatch(/[\n\u202e\u001b]/);
});

test(verifies("policy:parse", "a member named __proto__ is refused wherever it stands, not dropped"), () => {
  expect(messageOf(JSON.parse('{"__proto__": {"default": "allow"}}'))).toContain("__proto__");
  const when = '{"p": {"equals": 1}, "__proto__": {"equals": 2}}';
  const message = messageOf(JSON.parse(`{"rules": [{"tools": "a.b", "effect": "allow", "when": ${when}}]}`));
  expect(message).toContain("rules[0].when.__proto__: this name cannot be used here");
  const cyclic: Record<string, unknown> = {};
  cyclic["rules"] = cyclic;
  expect(messageOf(cyclic)).toContain("rules: expected array");
});

test.each([
  ["extends", { extends: ["./org.jsonc"] }],
  ["approvals", { approvals: { remember: ["once"] } }],
  ["output.mode", { output: { mode: "strict" } }],
  ["output.maxTokens", { output: { maxTokens: 6000 } }],
  ['tools["crm.export"].result', { tools: { "crm.export": { result: "handle" } } }],
  ['tools["a.b"].idempotency', { tools: { "a.b": { idempotency: { arg: "key" } } } }],
  ['tools["a.b"].onUnknown', { tools: { "a.b": { onUnknown: "retry" } } }],
])(verifies("policy:refused", "%s is refused with a sentence"), (place, value) => {
  expect(messageOf(value)).toContain(`${place}: not supported: `);
});

test(verifies("policy:parse", "the hash depends on what was written, not on absent members"), () => {
  const hash = (value: unknown): string => parsePolicy([{ source: "any", value }]).hash;
  expect(hash({ default: "ask" })).toBe(hash({ default: "ask", rules: undefined }));
  expect(hash({ default: "ask" })).not.toBe(hash({ default: "deny" }));
});

test(verifies("policy:parse", "a parsed policy is frozen"), () => {
  const policy = parsePolicy([{ source: "x", value: { rules: [{ tools: "a.b", effect: "deny" }] } }]);
  expect(Object.isFrozen(policy.layers[0]!.rules[0])).toBe(true);
});

const complete = {
  version: 1,
  servers: {
    github: { trust: "annotations", results: ["untrusted", "private"] },
    gmail: { results: ["untrusted", "private"], external: true },
  },
  tools: { "stripe.create_charge": { effect: "write", cost: 0.3 } },
  defaults: { read: "allow", additive: "ask", destructive: "ask", unannotated: "ask" },
  rules: [
    { id: "mail-read", tools: ["gmail.search", "gmail.get"], effect: "allow" },
    {
      id: "post-ops",
      tools: "slack.post_message",
      effect: "allow",
      when: { channel: { in: ["#ops", "#builds"] }, text: { maxBytes: 4000, not: { glob: "*password*" } } },
    },
    { id: "no-delete", tools: "*.delete_*", effect: "deny", reason: "archive instead" },
  ],
  flows: [
    {
      id: "trifecta",
      from: ["private", "untrusted"],
      to: { external: true },
      effect: "ask",
      unless: { to: { literal: true } },
    },
  ],
  budgets: {
    run: { calls: 500, wallMinutes: 30, resultBytes: "100MB", cost: 5, concurrency: 8, then: "ask" },
    "slack.post_message": { calls: 3, per: "run", rate: "10/hour", then: "ask" },
    sameCall: { times: 3, then: "ask" },
  },
};

test(
  verifies("policy:parse", "the JSON Schema for editors accepts what is accepted and refuses unknown keys"),
  () => {
    expect(messageOf(complete)).toBe("no error");
    const accepts = new Ajv2020({ strict: false }).compile(policyJsonSchema());
    expect(accepts(complete)).toBe(true);
    expect(accepts({ ruels: [] })).toBe(false);
    expect(accepts({ rules: [{ tools: "a.b", effect: "alow" }] })).toBe(false);
  },
);

test(verifies("policy:parse", "the policies of the documentation are accepted as written"), () => {
  const page = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/```jsonc\n(.*?)```/gs)].map((match) => parse(match[1]!) as unknown);
  expect(examples.length).toBeGreaterThan(0);
  expect(examples.map((example) => messageOf(example))).toEqual(examples.map(() => "no error"));
});
