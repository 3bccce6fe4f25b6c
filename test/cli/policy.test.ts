// callgate policy check, explain, test, schema, and the policy that init writes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { policyJsonSchema } from "../../index.ts";
import { verifies } from "../requirements.ts";
import { words } from "./inside.ts";
import { callgate, folder, workspace } from "./support.ts";

const POLICY = {
  servers: { items: { trust: "annotations", results: ["private"] } },
  rules: [
    { id: "small", tools: "items.write_item", effect: "allow", when: { title: { maxBytes: 3 } } },
    { id: "no-fail", tools: "items.fail", effect: "deny", reason: "it only fails" },
  ],
};

describe("check", () => {
  test(verifies("cli:policy-check", "a policy in which everything can matter passes"), async () => {
    const ended = await callgate(["policy", "check"], { cwd: workspace({ policy: POLICY }).path });
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("no problems");
  });

  test(
    verifies("cli:policy-check", "every name that is none is said, with its layer and the nearest name"),
    async () => {
      const policy = {
        servers: { item: { results: ["private"] } },
        tools: { "items.write_itm": { effect: "read" } },
        rules: [
          { id: "a", tools: "items.read_itme", effect: "allow" },
          { id: "b", tools: "items.read_item", effect: "allow", when: { idd: { equals: 1 } } },
          { id: "c", tools: "*.purge_*", effect: "deny" },
          { id: "d", tools: "items.big", effect: "ask" },
          { id: "e", tools: "items.*", effect: "deny" },
        ],
        flows: [{ id: "f", from: "privat", to: "items.*", effect: "deny" }],
        budgets: { "item.*": { calls: 1 } },
      };
      const { path } = workspace(
        { policy: [policy, "more.json"] },
        {
          "more.json": '{ "rules": [{ "id": "late", "tools": "items.fail", "effect": "allow" }] }',
        },
      );
      const ended = await callgate(["policy", "check"], { cwd: path });
      expect(ended.code).toBe(1);
      const said = [
        'callgate.json policy[0]: servers["item"]: no server is named "item", did you mean "items"?',
        'tools["items.write_itm"]: server "items" has no tool "write_itm", did you mean "write_item"?',
        'rule "a": server "items" has no tool "read_itme", did you mean "read_item"?',
        'rule "b": argument "idd" is not in the schema of the tool, did you mean "id"?',
        'rule "c": "*.purge_*" matches no tool',
        'rule "d": never wins: rule "e" is stricter and always holds',
        'flow "f": no server puts the label "privat" on its results, did you mean "private"?',
        'budget:item.*: no server is named "item"',
        'more.json: rule "late": a later layer only tightens',
      ];
      for (const sentence of said) expect(ended.stdout).toContain(sentence);
      expect(ended.stderr).toMatch(/\d+ problems/);
    },
  );

  test(
    verifies(
      "cli:policy-check",
      "what is said of a server that does not start cannot be checked, which fails",
    ),
    async () => {
      const policy = { rules: [{ id: "gone", tools: "gone.read", effect: "allow" }] };
      const gone = { command: process.execPath, args: ["-e", "process.exit(1)"] };
      const { path } = workspace({ policy, mcpServers: { gone } });
      const ended = await words(["policy", "check", "--json"], { cwd: path });
      expect(ended.code).toBe(1);
      expect(JSON.parse(ended.stdout)).toMatchObject([{ kind: "not-checked", place: 'rule "gone"' }]);
      expect(ended.stderr).toContain("server gone is not available");
      const silent = workspace({ mcpServers: { gone } });
      expect((await words(["policy", "check"], { cwd: silent.path })).code).toBe(0);
    },
  );

  test(verifies("cli:policy-check", "layers of --policy are checked with the others"), async () => {
    const { path } = workspace(
      { policy: POLICY },
      { "p.yaml": "rules: [{ tools: itms.big, effect: deny }]\n" },
    );
    const ended = await words(["policy", "check", "--policy", "p.yaml"], { cwd: path });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(
      'p.yaml: rule "deny itms.big": no server is named "itms", did you mean "items"?',
    );
  });
});

describe("explain", () => {
  test(
    verifies("cli:policy-explain", "it shows what nearly matched, what won, why, and what would allow"),
    async () => {
      const { path, log } = workspace({ policy: POLICY });
      const args = ["policy", "explain", "items.write_item", "--args", '{"title":"a long one"}'];
      const ended = await callgate(args, { cwd: path });
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain("items.write_item: ask: no rule names this call, and the default for");
      expect(ended.stdout).toMatch(
        /rule "small" allow does not hold +callgate\.json\n +title \{"maxBytes":3\}: does not hold/,
      );
      expect(ended.stdout).toMatch(/default "default:destructive" ask wins/);
      expect(ended.stdout).toMatch(/flow "trifecta" ask does not hold/);
      expect(ended.stdout).toContain(
        'A rule that would allow it: { "tools": "items.write_item", "effect": "allow" }',
      );
      expect(log().filter((line) => line.startsWith("write"))).toEqual([]);
    },
  );

  test(verifies("cli:policy-explain", "labels count, and --json is the same as data"), async () => {
    const { path } = workspace({ policy: POLICY });
    const args = ["--args", '{"title":"ok"}', "--labels", "private, untrusted", "--json"];
    const ended = await words(["policy", "explain", "items.write_item", ...args], { cwd: path });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      server: "items",
      tool: "write_item",
      decision: { effect: "ask", rules: ["trifecta"] },
      howToAllow:
        'Flow "trifecta" asks for it whatever the rules say; an "unless" on that flow can spare it.',
    });
  });

  test(
    verifies("cli:policy-explain", "arguments that the tool does not take are said before the policy"),
    async () => {
      const { path } = workspace({ policy: POLICY });
      const ended = await words(["policy", "explain", "items.write_item", "--args", '{"titel":1}'], {
        cwd: path,
      });
      expect(ended.stdout).toMatch(
        /^items\.write_item: refused: input: property "title" is missing\nwithout that: ask: /,
      );
    },
  );

  test.each([
    ["a tool that is none", ["items.write"], "there is no tool items.write"],
    ["arguments that are no JSON", ["items.big", "--args", "{"], "--args: not valid JSON"],
    ["arguments that are no object", ["items.big", "--args", "[]"], "--args: expected a JSON object"],
  ])(verifies("cli:policy-explain", "%s is bad usage"), async (_, args, message) => {
    const { path } = workspace({ policy: POLICY });
    const ended = await words(["policy", "explain", ...args], { cwd: path });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
  });
});

describe("test", () => {
  const CASES = `- { tool: items.write_item, args: { title: abc }, expect: allow, rules: [small] }
- { tool: items.fail, args: { message: x }, expect: deny }
- name: the trifecta
  tool: items.write_item
  args: { title: abc }
  labels: [private, untrusted]
  expect: ask
`;

  test(verifies("cli:policy-test", "cases that hold pass, in JSON or YAML"), async () => {
    const json = JSON.stringify([{ tool: "items.read_item", args: { id: 1 }, expect: "allow" }]);
    const { path } = workspace({ policy: POLICY }, { "cases.yaml": CASES, "cases.json": json });
    const ended = await callgate(["policy", "test", "cases.yaml"], { cwd: path });
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("3 of 3 cases as expected");
    expect((await words(["policy", "test", "cases.json"], { cwd: path })).code).toBe(0);
  });

  test(verifies("cli:policy-test", "each that differs is explained, and the command fails"), async () => {
    const cases = [
      { name: "writes", tool: "items.write_item", args: { title: "long" }, expect: "allow" },
      { tool: "items.fail", args: { message: "x" }, expect: "deny", rules: ["other"] },
      { tool: "items.nothing", expect: "deny" },
      { tool: "items.read_item", args: { id: "one" }, expect: "allow" },
      { tool: "items.big", expect: "ask" },
    ];
    const { path } = workspace({ policy: POLICY }, { "cases.json": JSON.stringify(cases) });
    const ended = await callgate(["policy", "test", "cases.json"], { cwd: path });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("failed: writes: expected allow, is ask\n");
    expect(ended.stdout).toContain('rule "small" allow does not hold');
    expect(ended.stdout).toContain("failed: [1] items.fail: expected the rules other, decided by no-fail");
    expect(ended.stdout).toContain("failed: [2] items.nothing: there is no tool items.nothing");
    expect(ended.stdout).toContain(
      "failed: [3] items.read_item: the call is refused before the policy is asked",
    );
    expect(ended.stderr).toContain("1 of 5 cases as expected");
    const data = await words(["policy", "test", "cases.json", "--json"], { cwd: path });
    expect(data.code).toBe(1);
    expect((JSON.parse(data.stdout) as { ok: boolean }[]).map(({ ok }) => ok)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  test.each([
    ["no list", "{}", "cases.json:1:1: expected a list, got an object"],
    ["an empty list", "[]", "cases.json:1:1: expected at least one case"],
    [
      "an unknown key",
      '[{\n "tool": "a.b", "expect": "ask", "arg": {} }]',
      'cases.json:1:2: [0]: unknown key "arg"',
    ],
    [
      "an effect that is none",
      '[{ "tool": "a.b",\n "expect": "no" }]',
      'cases.json:2:2: [0].expect: expected "allow" or "ask" or "deny"',
    ],
  ])(verifies("cli:policy-test", "%s is placed in the file"), async (_, text, message) => {
    const cwd = folder({ "cases.json": text });
    const ended = await words(["policy", "test", "cases.json"], { cwd });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
  });
});

test(verifies("cli:policy-schema", "it is of this version's policy"), async () => {
  const ended = await callgate(["policy", "schema"], { cwd: folder() });
  expect(ended.code).toBe(0);
  const schema = JSON.parse(ended.stdout) as { readonly properties: object };
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(["rules", "flows", "budgets", "servers"]),
  );
  expect(schema).toEqual(policyJsonSchema());
});

describe("init", () => {
  test(
    verifies("cli:init-policy", "what it writes is short, tells of the trifecta, and passes"),
    async () => {
      const cwd = folder();
      expect((await callgate(["init"], { cwd })).code).toBe(0);
      const text = readFileSync(join(cwd, "callgate.json"), "utf8");
      expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
      expect(text.split("\n").filter((line) => line.includes("trifecta"))).toHaveLength(1);
      expect((await callgate(["policy", "check"], { cwd })).code).toBe(0);
    },
  );

  test(
    verifies("cli:init-policy", "with what it comments out, and a real server, it passes too"),
    async () => {
      const cwd = folder();
      await words(["init"], { cwd });
      const text = readFileSync(join(cwd, "callgate.json"), "utf8");
      const { resolve } = createRequire(import.meta.url);
      const files = resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
      const whole = text
        .replaceAll(/^( *)\/\/ (?=["{])/gm, "$1")
        .replace(
          '"npx", "args": ["-y", "@modelcontextprotocol/server-filesystem"',
          `"node", "args": [${JSON.stringify(files)}`,
        )
        .replace(/("issues": )\{ "url".*/, '$1{ "command": "node", "args": ["-e", "process.exit(1)"] }');
      const other = folder({ "callgate.json": whole });
      const ended = await words(["policy", "check"], { cwd: other });
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
      const write = ["policy", "explain", "files.write_file", "--json", "--args"];
      const inside = await words([...write, '{"path":"/tmp/notes/a","content":""}'], { cwd: other });
      expect(JSON.parse(inside.stdout)).toMatchObject({ decision: { effect: "allow" } });
      const outside = await words([...write, '{"path":"/tmp/notes/../a","content":""}'], { cwd: other });
      expect(JSON.parse(outside.stdout)).toMatchObject({ decision: { effect: "ask" } });
    },
  );
});
