// Measures the time of one decision under a policy of 200 rules, with flows, labels and a first-time plan.
import { performance } from "node:perf_hooks";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { collectLiterals } from "../../broker/policy/literals.ts";
import { decide, type CallFacts } from "../../broker/policy/decide.ts";
import { parsePolicy, type Policy, type PolicyInput } from "../../broker/policy/parse.ts";

const RULES = 200;
const SERVERS = 10;
const TARGET_MICROSECONDS = 20;

type When = NonNullable<NonNullable<PolicyInput["rules"]>[number]["when"]>;

/** Seven kinds of demand, no two alike. */
const conditions: readonly ((n: number) => When)[] = [
  (n) => ({ channel: { in: ["#ops", `#builds-${n}`] }, text: { maxBytes: 4_000 + n } }),
  (n) => ({ path: { under: `/srv/app${n}` } }),
  (n) => ({ url: { host: [`api${n}.example.com`, "*.example.org"] } }),
  (n) => ({ text: { glob: `*secret${n}*` } }),
  (n) => ({ channel: { regex: `#[a-z0-9-]{1,${n + 2}}(?:-old)?` } }),
  () => ({ to: { literal: true } }),
  (n) => ({ count: { min: n, max: 1_000 }, text: { not: { glob: `*@evil${n}.example*` } } }),
];
const effects = ["allow", "ask", "deny"] as const;

function policyInput(): PolicyInput {
  return {
    servers: Object.fromEntries(
      Array.from({ length: SERVERS }, (_, index) => [
        `server${index}`,
        { trust: "annotations" as const, results: index % 2 === 0 ? ["private"] : ["untrusted"] },
      ]),
    ),
    rules: Array.from({ length: RULES }, (_, index) => ({
      id: `rule-${index}`,
      tools: patterns(index),
      effect: effects[index % 3]!,
      when: conditions[index % conditions.length]!(index),
    })),
    flows: [
      {
        id: "trifecta",
        from: ["private", "untrusted"],
        to: { external: true },
        effect: "ask",
        unless: { to: { literal: true } },
      },
      { id: "stays", from: "server:server3", to: ["server4.*", "server5.*"], effect: "deny" },
    ],
  };
}

// One rule in ten is for every tool, three for all of one server, six for single tools.
function patterns(index: number): string | string[] {
  if (index % 10 === 0) return "*";
  const server = `server${Math.floor(index / 10) % SERVERS}`;
  return index % 10 < 4 ? `${server}.*` : [`${server}.tool${index % 20}`, "*.delete_*"];
}

function calls(): CallFacts[] {
  const args: JsonObject[] = [
    { channel: "#ops", text: "The build is green.", to: "ops@example.com" },
    { path: "/srv/app/src/../data/report.csv" },
    { url: "https://api.example.com/v1/items?page=2", count: 20 },
    { text: "a longer text. ".repeat(20), to: ["a@example.com", "b@example.com"], count: 3 },
  ];
  const literals = collectLiterals(["ops@example.com", "#ops"]);
  return Array.from({ length: SERVERS * 20 }, (_, index) => {
    const tool: ToolDefinition = {
      server: `server${index % SERVERS}`,
      name: index % 17 === 0 ? "delete_it" : `tool${index % 20}`,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: index % 3 === 0 },
    };
    const labels = new Set(
      index % 2 === 0 ? ["private", "server:server0"] : ["private", "untrusted", "server:server3"],
    );
    return { tool, arguments: args[index % args.length]!, labels, literals, principal: "bench" };
  });
}

function microseconds(policy: Policy, facts: readonly CallFacts[], rounds: number): number {
  const start = performance.now();
  for (let round = 0; round < rounds; round++) for (const call of facts) decide(policy, call);
  return ((performance.now() - start) * 1_000) / (rounds * facts.length);
}

const input = policyInput();
const start = performance.now();
const policy = parsePolicy([{ source: "bench", value: input }]);
const parseMs = performance.now() - start;
const facts = calls();
const firstUs = microseconds(policy, facts, 1);
microseconds(policy, facts, 50);
const samples = Array.from({ length: 21 }, () => microseconds(policy, facts, 20)).toSorted((a, b) => a - b);
const median = samples[10]!;
const { length: rules } = input.rules!;
console.log(`parse ${rules} rules: ${parseMs.toFixed(1)} ms (cold)`);
console.log(`first decision on each of ${facts.length} tools: ${firstUs.toFixed(1)} µs each (cold)`);
console.log(
  `decision: median ${median.toFixed(2)} µs, best ${samples[0]!.toFixed(2)}, worst ${samples[20]!.toFixed(2)} (target ≤ ${TARGET_MICROSECONDS})`,
);
process.exitCode = median <= TARGET_MICROSECONDS ? 0 : 1;
