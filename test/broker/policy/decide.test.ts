import { expect, test } from "vitest";
import type { ToolAnnotations } from "../../../contract/tool.ts";
import { decide, resultLabels } from "../../../broker/policy/decide.ts";
import type { PolicyInput } from "../../../broker/policy/parse.ts";
import { verifies } from "../../requirements.ts";
import { facts, policyOf, tool, verdict } from "./support.ts";

const trusted: PolicyInput = { servers: { srv: { trust: "annotations" } } };

test.each<[string, PolicyInput, ToolAnnotations | undefined, string]>([
  ["an untrusted server asks whatever it claims", {}, { readOnlyHint: true }, "ask"],
  ["a trusted read is allowed", trusted, { readOnlyHint: true }, "allow"],
  ["a trusted addition asks", trusted, { destructiveHint: false }, "ask"],
  ["a trusted tool without annotations asks", trusted, undefined, "ask"],
  [
    "defaults are per class",
    { ...trusted, defaults: { additive: "allow" } },
    { destructiveHint: false },
    "allow",
  ],
  ["the short form sets all four", { default: "deny" }, { readOnlyHint: true }, "deny"],
  [
    "the long form goes before the short one",
    { ...trusted, default: "deny", defaults: { read: "ask" } },
    { readOnlyHint: true },
    "ask",
  ],
])(verifies("policy:defaults", "%s"), (_claim, policy, annotations, effect) => {
  expect(decide(policyOf(policy), facts(tool("srv", "do", annotations))).effect).toBe(effect);
});

test(verifies("policy:defaults", "facts of the policy go before the server's word"), () => {
  const policy: PolicyInput = {
    servers: { srv: { trust: "annotations" } },
    tools: { "srv.wipe": { effect: "write" }, "other.look": { effect: "read" } },
  };
  expect(decide(policyOf(policy), facts(tool("srv", "wipe", { readOnlyHint: true })))).toMatchObject({
    effect: "ask",
    rules: ["default:destructive"],
  });
  expect(verdict(policy, "other.look").effect).toBe("allow");
});

test(
  verifies("policy:strictest", "deny goes before ask, ask before allow, and all winners are named"),
  () => {
    const rules = [
      { id: "one", tools: "srv.*", effect: "allow" as const },
      { id: "three", tools: "srv.delete", effect: "deny" as const, reason: "archive instead" },
      { id: "two", tools: "*.delete", effect: "deny" as const },
      { id: "four", tools: "*", effect: "ask" as const },
    ];
    expect(verdict({ rules }, "srv.delete")).toEqual({
      effect: "deny",
      rules: ["three", "two"],
      reason: 'rule "three" denies srv.delete: archive instead',
    });
    expect(verdict({ rules }, "srv.list")).toMatchObject({ effect: "ask", rules: ["four"] });
  },
);

test(verifies("policy:strictest", "two allow rules never combine"), () => {
  const rules = [
    { tools: "srv.*", effect: "allow" as const, when: { a: { equals: 1 } } },
    { tools: "srv.*", effect: "allow" as const, when: { b: { equals: 2 } } },
    { tools: "srv.both", effect: "allow" as const, when: { a: { equals: 1 }, b: { equals: 2 } } },
  ];
  expect(verdict({ default: "deny", rules: [rules[2]!] }, "srv.both", { a: 1 }).effect).toBe("deny");
  expect(verdict({ default: "deny", rules }, "srv.x", { a: 2, b: 1 }).effect).toBe("deny");
});

test(verifies("policy:strictest", "a rule without an id is named after what it says"), () => {
  const rules = [
    { tools: ["a.x", "a.y"], effect: "deny" as const },
    { tools: ["a.x", "a.y"], effect: "deny" as const },
  ];
  expect(verdict({ rules }, "a.x").rules).toEqual(["deny a.x, a.y", "deny a.x, a.y #2"]);
});

test(
  verifies("policy:layers", "an allow of a later layer does not undo the first, and its deny holds"),
  () => {
    const first: PolicyInput = { rules: [{ tools: "a.read", effect: "allow" }] };
    const later: PolicyInput = { rules: [{ tools: "a.*", effect: "allow" }] };
    expect(decide(policyOf(first, later), facts(tool("a", "write"))).effect).toBe("ask");
    expect(decide(policyOf(first, later), facts(tool("a", "read"))).effect).toBe("allow");
    const strict: PolicyInput = { default: "deny", rules: [{ tools: "a.list", effect: "allow" }] };
    expect(decide(policyOf(first, strict), facts(tool("a", "read"))).effect).toBe("deny");
  },
);

test(
  verifies(
    "policy:layers",
    "a later layer cannot trust a server, call a tool read-only or replace the built-in flow",
  ),
  () => {
    const later: PolicyInput = {
      servers: { a: { trust: "annotations", external: false } },
      tools: { "a.t": { effect: "read", external: false } },
      flows: [{ id: "trifecta", from: ["private", "untrusted"], to: "never.used", effect: "ask" }],
    };
    const first: PolicyInput = {
      rules: [{ tools: "a.*", effect: "allow", when: { go: { present: true } } }],
    };
    const policy = policyOf(first, later);
    const read = tool("a", "t", { readOnlyHint: true, openWorldHint: false });
    expect(decide(policy, facts(read)).effect).toBe("ask");
    const labels = ["private", "untrusted"];
    expect(decide(policy, facts(read, { go: 1 }, { labels })).effect).toBe("ask");
    expect(decide(policy, facts(read, { go: 1 })).effect).toBe("allow");
  },
);

test(verifies("policy:layers", "a later layer can withdraw trust and call a tool worse than it was"), () => {
  const first: PolicyInput = { servers: { a: { trust: "annotations" } } };
  const read = tool("a", "t", { readOnlyHint: true });
  expect(decide(policyOf(first), facts(read)).effect).toBe("allow");
  expect(decide(policyOf(first, { servers: { a: { trust: "none" } } }), facts(read)).effect).toBe("ask");
  expect(decide(policyOf(first, { tools: { "a.t": { effect: "destructive" } } }), facts(read)).effect).toBe(
    "ask",
  );
});

test(
  verifies("policy:flows", "private and untrusted data may not leave without a person, by default"),
  () => {
    const policy: PolicyInput = {
      servers: { files: { results: ["private"] }, web: { results: ["untrusted"] } },
      rules: [{ tools: "*", effect: "allow" }],
    };
    const labels = ["private", "untrusted", "server:files", "server:web"];
    expect(verdict(policy, "web.post", {}, { labels: ["private"] }).effect).toBe("allow");
    const decision = verdict(policy, "web.post", {}, { labels });
    expect(decision).toMatchObject({ effect: "ask", rules: ["trifecta"] });
    expect(decision.reason).toContain("web.post");
    expect(decision.reason).toContain("private and untrusted data from files, web");
  },
);

test(verifies("policy:flows", "a tool is external unless it is known to be closed"), () => {
  const labels = ["private", "untrusted"];
  const closed = tool("srv", "t", { openWorldHint: false });
  const allow: PolicyInput = { rules: [{ tools: "*", effect: "allow" }] };
  const effect = (policy: PolicyInput): string =>
    decide(policyOf(policy), facts(closed, {}, { labels })).effect;
  expect(effect(allow)).toBe("ask");
  expect(effect({ ...allow, servers: { srv: { trust: "annotations" } } })).toBe("allow");
  expect(effect({ ...allow, servers: { srv: { external: false } } })).toBe("allow");
  expect(effect({ ...allow, servers: { srv: { trust: "annotations", external: true } } })).toBe("ask");
  expect(effect({ ...allow, tools: { "srv.t": { external: false } } })).toBe("allow");
});

test(
  verifies("policy:flows", "a later layer that withdraws trust makes a closed tool external again"),
  () => {
    const first: PolicyInput = {
      servers: { srv: { trust: "annotations" } },
      rules: [{ tools: "*", effect: "allow" }],
    };
    const call = facts(tool("srv", "t", { openWorldHint: false }), {}, { labels: ["private", "untrusted"] });
    expect(decide(policyOf(first), call).effect).toBe("allow");
    expect(decide(policyOf(first, { servers: { srv: { trust: "none" } } }), call).effect).toBe("ask");
    expect(decide(policyOf(first, { servers: { srv: { external: true } } }), call).effect).toBe("ask");
    expect(decide(policyOf(first, { tools: { "srv.t": { external: true } } }), call).effect).toBe("ask");
  },
);

test(verifies("policy:flows", "data of one server can be kept from another"), () => {
  const policy: PolicyInput = {
    default: "allow",
    flows: [{ id: "crm-stays", from: "server:crm", to: ["web.*", "slack.*"], effect: "deny" }],
  };
  expect(verdict(policy, "web.post", {}, { labels: ["server:crm"] })).toMatchObject({
    effect: "deny",
    rules: ["crm-stays"],
  });
  expect(verdict(policy, "files.write", {}, { labels: ["server:crm"] }).effect).toBe("allow");
});

test(
  verifies(
    "policy:flows",
    "a flow's deny stands beside a rule's allow, and its ask does not spare the default",
  ),
  () => {
    const flows = [{ from: "private", to: "a.*", effect: "ask" as const }];
    expect(verdict({ default: "deny", flows }, "a.b", {}, { labels: ["private"] }).effect).toBe("deny");
  },
);

test(verifies("policy:flows", "results carry the labels of all layers and the name of their server"), () => {
  const policy = policyOf(
    { servers: { crm: { results: ["private"] } } },
    { servers: { crm: { results: ["secret"] } } },
  );
  expect(resultLabels(policy, "crm")).toEqual(["private", "secret", "server:crm"]);
  expect(resultLabels(policy, "constructor")).toEqual(["server:constructor"]);
});

test(
  verifies("policy:defaults", "an ask by default says what the run has read when the tool reaches outside"),
  () => {
    const decision = verdict({}, "web.post", {}, { labels: ["server:files"] });
    expect(decision.reason).toContain("this run has read results of files");
  },
);

test(verifies("policy:explain", "a hostile tool name cannot forge lines of a reason"), () => {
  const name = `x\n\u202e${"y".repeat(5_000)}`;
  const { reason } = decide(policyOf({}), facts(tool("srv", name)));
  expect(reason).not.toMatch(/[\n\u202e]/);
  expect(reason.length).toBeLessThan(400);
});

test(verifies("policy:patterns", "an ambiguous name denies every tool it can mean, and allows one"), () => {
  const dotted = tool("my.files", "read");
  const effect = (rule: "allow" | "deny", tools: string): string =>
    decide(policyOf({ rules: [{ tools, effect: rule }] }), facts(dotted)).effect;
  expect(effect("deny", "my.files.read")).toBe("deny");
  expect(effect("allow", "my.files.read")).toBe("ask");
  expect(effect("allow", "my\\.files.read")).toBe("allow");
  const flows: PolicyInput["flows"] = [{ from: "private", to: "my.files.*", effect: "deny" }];
  expect(decide(policyOf({ flows }), facts(dotted, {}, { labels: ["private"] })).effect).toBe("deny");
});

test(
  verifies("policy:patterns", "facts of an ambiguous name tighten every tool it can mean, and loosen one"),
  () => {
    const read = tool("my.files", "read", { readOnlyHint: true, openWorldHint: false });
    const servers: PolicyInput["servers"] = { "my.files": { trust: "annotations" } };
    const effect = (tools: PolicyInput["tools"], of = read): string =>
      decide(policyOf({ servers, tools }), facts(of, {}, { labels: ["private", "untrusted"] })).effect;
    expect(effect({})).toBe("allow");
    expect(effect({ "my.files.read": { effect: "write" } })).toBe("ask");
    expect(effect({ "my.files.read": { external: true } })).toBe("ask");
    const other = tool("other.files", "look");
    expect(effect({ "other.files.look": { effect: "read", external: false } }, other)).toBe("ask");
    expect(effect({ "other\\.files.look": { effect: "read", external: false } }, other)).toBe("allow");
  },
);
