// The laws of a policy, over generated policies and calls.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import { decide, type CallFacts } from "../../../broker/policy/decide.ts";
import { collectLiterals } from "../../../broker/policy/literals.ts";
import { STRICTNESS } from "../../../broker/policy/model.ts";
import type { MatcherInput, PolicyInput, RuleInput } from "../../../broker/policy/schema.ts";
import { verifies } from "../../requirements.ts";
import { policyOf, propertyRuns, propertyTimeout } from "./support.ts";

const runs = { numRuns: propertyRuns };
const servers = ["a", "b", "a.b"];
const names = ["read", "delete_x", "b.read", "*"];
const effect = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const pattern = fc.constantFrom(
  "*",
  "a.*",
  "a.read",
  "*.delete_*",
  "a.b.read",
  "a\\.b.*",
  "b.?ead",
  "a.\\*",
  "*.*.read",
);
const texts = [
  "x",
  "X",
  "/srv/app/a",
  "/srv/app/../b",
  "https://ok.example/",
  "https://no.example./",
  "х",
  "",
];
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom(0, 1, 5, -1),
  fc.constantFrom(true, null, [], ["x"], {}, { q: "x" }),
);
const matcher: fc.Arbitrary<MatcherInput> = fc.letrec<{ any: MatcherInput }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    value.map((equals) => ({ equals }) as MatcherInput),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => ({ in: list }) as MatcherInput),
    fc.constantFrom<MatcherInput>(
      { glob: "*x*" },
      { regex: "[a-z/]+" },
      { min: 0, max: 4 },
      { maxBytes: 3 },
      { under: "/srv/app" },
      { host: "ok.example" },
      { literal: true },
      { literal: false },
      { present: true },
    ),
    tie("any").map((not) => ({ not })),
  ),
})).any;
const path = fc.constantFrom("p", "q", "p.q", "p.*");
const conditions = fc.dictionary(path, matcher, { minKeys: 1, maxKeys: 2 });

const rule: fc.Arbitrary<RuleInput> = fc
  .record({
    tools: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    effect,
    when: fc.option(conditions, { nil: undefined }),
    unless: fc.option(conditions, { nil: undefined }),
  })
  .map(({ unless, ...rest }) => (rest.effect === "allow" ? rest : { ...rest, unless }));
const label = fc.constantFrom("private", "untrusted", "server:a");
const flow = fc.record({
  from: fc.array(label, { minLength: 1, maxLength: 2 }),
  to: fc.oneof(fc.array(pattern, { minLength: 1, maxLength: 2 }), fc.constant({ external: true as const })),
  effect: fc.constantFrom("ask" as const, "deny" as const),
  unless: fc.option(conditions, { nil: undefined }),
});
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const layer: fc.Arbitrary<PolicyInput> = fc.record({
  default: maybe(effect),
  defaults: maybe(fc.record({ read: maybe(effect), destructive: maybe(effect), unannotated: maybe(effect) })),
  servers: maybe(
    fc.dictionary(
      fc.constantFrom(...servers),
      fc.record({
        trust: maybe(fc.constantFrom("annotations" as const, "none" as const)),
        external: maybe(fc.boolean()),
      }),
    ),
  ),
  tools: maybe(
    fc.dictionary(
      fc.constantFrom("a.read", "a.delete_x", "a\\.b.read", "b.read"),
      fc.record({
        effect: maybe(
          fc.constantFrom("read" as const, "additive" as const, "destructive" as const, "write" as const),
        ),
        external: maybe(fc.boolean()),
      }),
    ),
  ),
  rules: fc.array(rule, { maxLength: 5 }),
  flows: fc.array(flow, { maxLength: 3 }),
});

const call: fc.Arbitrary<CallFacts> = fc.record({
  tool: fc.record({
    server: fc.constantFrom(...servers),
    name: fc.constantFrom(...names),
    inputSchema: fc.constant({}),
    annotations: fc.record({
      readOnlyHint: fc.boolean(),
      destructiveHint: fc.boolean(),
      openWorldHint: fc.boolean(),
    }),
  }),
  arguments: fc.dictionary(fc.constantFrom("p", "q"), value) as fc.Arbitrary<JsonObject>,
  labels: fc.array(label).map((labels) => new Set(labels)),
  literals: fc.constantFrom(undefined, collectLiterals(["x", 1])),
  principal: fc.constant("someone"),
});

function strictness(layers: readonly PolicyInput[], facts: CallFacts): number {
  return STRICTNESS[decide(policyOf(...layers), facts).effect];
}

test(
  verifies("policy:strictest", "the order of rules and flows never matters"),
  () => {
    fc.assert(
      fc.property(layer, call, fc.infiniteStream(fc.nat()), (policy, facts, random) => {
        const named = {
          ...policy,
          rules: policy.rules?.map((each, index) => ({ ...each, id: `r${index}` })),
          flows: policy.flows?.map((each, index) => ({ ...each, id: `f${index}` })),
        };
        const shuffle = <T>(list: readonly T[] | undefined): T[] | undefined =>
          list
            ?.map((each) => ({ each, key: random.next().value as number }))
            .toSorted((x, y) => x.key - y.key)
            .map(({ each }) => each);
        const shuffled = { ...named, rules: shuffle(named.rules), flows: shuffle(named.flows) };
        expect(decide(policyOf(shuffled), facts)).toEqual(decide(policyOf(named), facts));
      }),
      runs,
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:strictest", "adding a deny never allows more"),
  () => {
    fc.assert(
      fc.property(
        fc.array(layer, { minLength: 1, maxLength: 3 }),
        rule,
        fc.nat(),
        call,
        (layers, added, at, facts) => {
          const deny: RuleInput = { ...added, effect: "deny" };
          const changed = layers.map((each, index) =>
            index === at % layers.length ? { ...each, rules: [...(each.rules ?? []), deny] } : each,
          );
          expect(strictness(changed, facts)).toBeGreaterThanOrEqual(strictness(layers, facts));
        },
      ),
      runs,
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:layers", "adding a layer never loosens"),
  () => {
    fc.assert(
      fc.property(fc.array(layer, { minLength: 1, maxLength: 3 }), layer, call, (layers, added, facts) => {
        expect(strictness([...layers, added], facts)).toBeGreaterThanOrEqual(strictness(layers, facts));
      }),
      runs,
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:flows", "another label never loosens"),
  () => {
    fc.assert(
      fc.property(fc.array(layer, { minLength: 1, maxLength: 2 }), call, label, (layers, facts, added) => {
        const more = { ...facts, labels: new Set([...facts.labels, added]) };
        expect(strictness(layers, more)).toBeGreaterThanOrEqual(strictness(layers, facts));
      }),
      runs,
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:matchers", "an absent argument never satisfies an allow or an unless"),
  () => {
    fc.assert(
      fc.property(matcher, fc.dictionary(fc.constantFrom("q", "r"), value), call, (demand, args, facts) => {
        const given = { ...facts, arguments: args as JsonObject };
        const rules: RuleInput[] = [{ tools: "*", effect: "allow", when: { p: demand } }];
        expect(decide(policyOf({ default: "deny", rules }), given).effect).toBe("deny");
        const unless: RuleInput[] = [{ tools: "*", effect: "deny", unless: { p: demand } }];
        expect(decide(policyOf({ default: "allow", rules: unless }), given).effect).toBe("deny");
      }),
      runs,
    );
  },
  propertyTimeout,
);

test(
  verifies("policy:matchers", "what an allow accepts, a deny with the same demand stops"),
  () => {
    fc.assert(
      fc.property(conditions, call, (when, facts) => {
        const allow = decide(
          policyOf({ default: "deny", rules: [{ tools: "*", effect: "allow", when }] }),
          facts,
        );
        const deny = decide(
          policyOf({ default: "allow", rules: [{ tools: "*", effect: "deny", when }] }),
          facts,
        );
        if (allow.effect === "allow") expect(deny.effect).toBe("deny");
      }),
      runs,
    );
  },
  propertyTimeout,
);
