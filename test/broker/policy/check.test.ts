import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import type { ToolDefinition } from "../../../contract/tool.ts";
import { checkPolicy } from "../../../broker/policy/check.ts";
import type { MatcherInput } from "../../../broker/policy/schema.ts";
import type { PolicyInput } from "../../../broker/policy/parse.ts";
import { verifies } from "../../requirements.ts";
import { policyOf } from "./support.ts";

function withSchema(server: string, name: string, inputSchema: JsonObject): ToolDefinition {
  return { server, name, inputSchema };
}

const tools: ToolDefinition[] = [
  withSchema("github", "list_issues", {
    type: "object",
    properties: { owner: { type: "string" }, labels: { type: "array", items: { $ref: "#/$defs/label" } } },
    $defs: { label: { type: "object", properties: { name: { type: "string" } } } },
    additionalProperties: false,
  }),
  withSchema("github", "delete_repo", { type: "object", properties: { owner: { type: "string" } } }),
  withSchema("my.files", "read", { type: "object" }),
  withSchema("db", "query", {
    type: "object",
    properties: {
      where: { anyOf: [{ type: "object", properties: { id: {} } }, { type: "null" }] },
      extra: { type: "object" },
    },
  }),
];

function problems(...layers: PolicyInput[]): string[] {
  return checkPolicy(policyOf(...layers), tools).map(
    ({ kind, place, message }) => `${kind} | ${place} | ${message}`,
  );
}

test(verifies("policy:check", "a policy in which everything can matter has no problems"), () => {
  expect(
    problems({
      servers: { github: { trust: "annotations", results: ["private", "crm"] } },
      tools: { "github.delete_repo": { effect: "write" } },
      rules: [
        {
          tools: "github.list_issues",
          effect: "allow",
          when: { owner: { equals: "me" }, "labels.*.name": { glob: "a*" } },
        },
        { tools: "*.delete_*", effect: "deny", unless: { owner: { equals: "me" } } },
        { tools: "my\\.files.*", effect: "allow", when: { anything: { present: true } } },
        { tools: "db.query", effect: "ask", when: { "where.id": { equals: 1 }, "extra.x.y": { equals: 1 } } },
      ],
      flows: [{ from: ["crm", "server:db"], to: "github.*", effect: "ask" }],
      budgets: { run: { calls: 3 }, "github.*": { calls: 2 } },
    }),
  ).toEqual([]);
});

test(
  verifies("policy:check", "a value that the schema never lets an argument have is found, and no other"),
  () => {
    const choosing = withSchema("s", "t", {
      type: "object",
      properties: {
        state: { enum: ["open", "closed"] },
        kind: { anyOf: [{ const: "a" }, { $ref: "#/$defs/number" }] },
        size: { type: ["integer", "null"] },
        any: {},
        list: { type: "array", items: { type: "string" } },
      },
      $defs: { number: { type: "integer" } },
    });
    const found = (when: Record<string, MatcherInput>): string[] =>
      checkPolicy(policyOf({ rules: [{ id: "r", tools: "s.*", effect: "allow", when }] }), [choosing]).map(
        ({ kind, message }) => `${kind}: ${message}`,
      );
    const never = (path: string, value: unknown): string =>
      `matches-nothing: argument "${path}" can never be ${JSON.stringify(value)}, by the schema of the tool`;
    expect(found({ state: { equals: "opne" } })).toEqual([never("state", "opne")]);
    expect(found({ state: { in: ["open", "shut", 1] } })).toEqual([
      never("state", "shut"),
      never("state", 1),
    ]);
    expect(found({ kind: { in: ["a", 3, "b"] } })).toEqual([never("kind", "b")]);
    expect(found({ size: { in: [1, null, "1"] } })).toEqual([never("size", "1")]);
    expect(found({ "list.*": { in: ["x", 1] } })).toEqual([never("list.*", 1)]);
    expect(found({ any: { in: ["x", 1, null, [], {}] }, list: { equals: ["x"] } })).toEqual([]);
  },
);

test.each<[string, PolicyInput]>([
  [
    'unknown-server | rule "r" | no server is named "gihub", did you mean "github"?',
    { rules: [{ id: "r", tools: "gihub.*", effect: "deny" }] },
  ],
  [
    'unknown-tool | rule "r" | server "github" has no tool "list_issue", did you mean "list_issues"?',
    { rules: [{ id: "r", tools: "github.list_issue", effect: "deny" }] },
  ],
  [
    'matches-nothing | rule "r" | "github.drop_*" matches no tool',
    { rules: [{ id: "r", tools: "github.drop_*", effect: "deny" }] },
  ],
  [
    'unknown-server | rule "r" | "my.files.read" names no tool; the server "my.files" is written "my\\\\.files"',
    { rules: [{ id: "r", tools: "my.files.read", effect: "allow" }] },
  ],
  [
    'unknown-argument | rule "r" | argument "onwer" is not in the schema of the tool, did you mean "owner"?',
    { rules: [{ id: "r", tools: "github.delete_repo", effect: "deny", when: { onwer: { equals: 1 } } }] },
  ],
  [
    'unknown-argument | rule "r" | argument "labels.*.nme" is not in the schema of any of the 2 tools',
    { rules: [{ id: "r", tools: "github.*", effect: "deny", unless: { "labels.*.nme": { equals: 1 } } }] },
  ],
  [
    'unknown-argument | rule "r" | argument "where.no" is not in the schema of the tool',
    { rules: [{ id: "r", tools: "db.query", effect: "deny", when: { "where.no": { equals: 1 } } }] },
  ],
  [
    'never-wins | rule "r" | never wins: rule "d" is stricter and always holds',
    {
      rules: [
        { id: "r", tools: "github.*", effect: "allow" },
        { id: "d", tools: "*", effect: "deny" },
      ],
    },
  ],
  [
    'unknown-server | servers["githb"] | no server is named "githb", did you mean "github"?',
    { servers: { githb: {} } },
  ],
  [
    'unknown-tool | tools["github.drop"] | server "github" has no tool "drop"',
    { tools: { "github.drop": { cost: 1 } } },
  ],
  [
    'unknown-server | flow "f" | no server is named "crm"',
    { flows: [{ id: "f", from: "server:crm", to: "github.*", effect: "ask" }] },
  ],
  [
    'unknown-label | flow "f" | no server puts the label "privat" on its results, did you mean "private"?',
    { flows: [{ id: "f", from: "privat", to: "github.*", effect: "ask" }] },
  ],
  [
    'unknown-server | budget:slack.post | no server is named "slack"',
    { budgets: { "slack.post": { calls: 1 } } },
  ],
])(verifies("policy:check", "found: %s"), (expected, policy) => {
  expect(problems(policy).some((line) => line.startsWith(expected))).toBe(true);
});

test(verifies("policy:check", "a rule that is overruled for some tools only is no problem"), () => {
  const rules = [
    { tools: "github.*", effect: "allow" as const },
    { tools: "*.delete_*", effect: "deny" as const },
  ];
  expect(problems({ rules })).toEqual([]);
});

test(verifies("policy:check", "what a later layer says in vain is found"), () => {
  const later: PolicyInput = {
    servers: { github: { trust: "annotations", external: false } },
    tools: { "github.list_issues": { effect: "read" } },
    rules: [{ id: "late", tools: "github.*", effect: "allow" }],
  };
  const found = problems({}, later);
  expect(found.filter((line) => line.startsWith("no-effect"))).toHaveLength(4);
});
