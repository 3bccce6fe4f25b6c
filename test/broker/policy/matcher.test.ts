import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import { collectLiterals } from "../../../broker/policy/literals.ts";
import type { MatcherInput } from "../../../broker/policy/schema.ts";
import { verifies } from "../../requirements.ts";
import { verdict } from "./support.ts";

/** Whether an allow rule with this demand on `p` holds. */
function permits(matcher: MatcherInput, args: JsonObject, path: string = "p"): boolean {
  const rules = [{ tools: "s.t", effect: "allow" as const, when: { [path]: matcher } }];
  return verdict({ default: "deny", rules }, "s.t", args).effect === "allow";
}

/** Whether a deny rule with this demand on `p` holds. */
function forbids(matcher: MatcherInput, args: JsonObject, path: string = "p"): boolean {
  const rules = [{ tools: "s.t", effect: "deny" as const, when: { [path]: matcher } }];
  return verdict({ default: "allow", rules }, "s.t", args).effect === "deny";
}

/** Whether a flow lets the call pass because of this `unless`. */
function exempts(matcher: MatcherInput, args: JsonObject): boolean {
  const flows = [{ from: "private", to: "s.t", effect: "deny" as const, unless: { p: matcher } }];
  return verdict({ default: "allow", flows }, "s.t", args, { labels: ["private"] }).effect === "allow";
}

test.each<[MatcherInput, unknown, unknown]>([
  [{ equals: "a" }, "a", "b"],
  [{ equals: { x: [1, null] } }, { x: [1, null] }, { x: [1] }],
  [{ in: ["#ops", "#builds"] }, "#ops", "#all"],
  [{ glob: "a*c" }, "abbc", "abbd"],
  [{ glob: ["x*", "*y"] }, "by", "b"],
  [{ regex: "[a-z]+-\\d{2}" }, "ab-12", "ab-123"],
  [{ min: 1, max: 5 }, 5, 5.01],
  [{ maxBytes: 4 }, "abcd", "abcde"],
  [{ maxBytes: "1KB" }, "x".repeat(1000), "x".repeat(1001)],
  [{ under: "/srv/app" }, "/srv/app/x", "/srv/apps"],
  [{ under: ["/a", "/b"] }, "/b/c", "/c"],
  [{ host: "ok.example" }, "https://ok.example/a?b#c", "https://sub.ok.example/"],
  [{ host: "*.ok.example" }, "https://sub.ok.example/", "https://ok.example/"],
  [{ host: "ok.example:8443" }, "https://ok.example:8443/", "https://no.example:8443/"],
  [{ host: "wss://ok.example" }, "wss://ok.example/", "wss://no.example/"],
  [{ not: { in: ["a"] } }, "b", "a"],
  [{ present: true, not: { equals: 3 } }, 4, 3],
])(
  verifies("policy:matchers", "%j holds of %j and not of %j, for allow and deny alike"),
  (matcher, yes, no) => {
    expect(permits(matcher, { p: yes } as JsonObject)).toBe(true);
    expect(forbids(matcher, { p: yes } as JsonObject)).toBe(true);
    expect(permits(matcher, { p: no } as JsonObject)).toBe(false);
    expect(forbids(matcher, { p: no } as JsonObject)).toBe(false);
  },
);

test.each<MatcherInput>([
  { not: { in: ["a"] } },
  { literal: false },
  { literal: true },
  { not: { present: true } },
  { not: { not: { not: { equals: 1 } } } },
  { maxBytes: 10 },
  { present: true },
])(verifies("policy:matchers", "an absent argument satisfies no allow and no unless: %j"), (matcher) => {
  expect(permits(matcher, {})).toBe(false);
  expect(exempts(matcher, {})).toBe(false);
});

test(
  verifies("policy:matchers", "only present: false holds of an absent argument, and of nothing else"),
  () => {
    expect(permits({ present: false }, {})).toBe(true);
    expect(exempts({ present: false }, {})).toBe(true);
    expect(permits({ present: false }, { p: null })).toBe(false);
    expect(forbids({ present: false }, {})).toBe(true);
  },
);

test(verifies("policy:matchers", "for a deny, an absent argument is not on any list of exceptions"), () => {
  expect(forbids({ not: { in: ["#ops"] } }, {})).toBe(true);
  expect(forbids({ equals: "x" }, {})).toBe(false);
  expect(forbids({ present: true, not: { in: ["#ops"] } }, {})).toBe(false);
});

test.each<[MatcherInput, unknown]>([
  [{ glob: "*@evil.example" }, ["a@evil.example"]],
  [{ glob: "*@evil.example" }, null],
  [{ regex: "x" }, { x: 1 }],
  [{ equals: 5 }, "5"],
  [{ in: [5, 6] }, "5"],
  [{ min: 100 }, "150"],
  [{ under: "/etc" }, ["/etc/passwd"]],
  [{ under: "/etc" }, "../etc/passwd"],
  [{ host: "evil.example" }, 5],
  [{ host: "evil.example" }, "evil.example/path"],
  [{ not: { equals: "a" } }, ["a"]],
])(
  verifies("policy:matchers", "a value of the wrong type never permits and always matches a deny: %j, %j"),
  (matcher, value) => {
    expect(permits(matcher, { p: value } as JsonObject)).toBe(false);
    expect(forbids(matcher, { p: value } as JsonObject)).toBe(true);
  },
);

test(verifies("policy:matchers", "glob and regex match over newlines"), () => {
  expect(forbids({ glob: "*secret*" }, { p: "a\nsecret\nb" })).toBe(true);
  expect(forbids({ regex: ".*secret.*" }, { p: "a\nsecret\r\n\u2028b" })).toBe(true);
});

test(verifies("policy:matchers", "a relative path is not under any root"), () => {
  expect(permits({ under: "/srv/app" }, { p: "evil/srv/app/x" })).toBe(false);
  expect(permits({ under: "/srv/app" }, { p: "srv/app/x" })).toBe(false);
  expect(permits({ under: "/srv/app" }, { p: "file:///srv/app/x" })).toBe(false);
});

test(verifies("policy:matchers", "bytes are UTF-8 bytes"), () => {
  expect(permits({ maxBytes: 10 }, { p: "漢".repeat(8) })).toBe(false);
  expect(permits({ maxBytes: 24 }, { p: "漢".repeat(8) })).toBe(true);
  expect(permits({ maxBytes: 4 }, { p: [1, 2] })).toBe(false);
});

test(verifies("policy:matchers", "host means http or https unless a scheme is listed"), () => {
  expect(permits({ host: "ok.example" }, { p: "file://ok.example/etc" })).toBe(false);
  expect(permits({ host: "ok.example" }, { p: "ftp://ok.example/etc" })).toBe(false);
  expect(permits({ host: "ftp://ok.example" }, { p: "ftp://ok.example/etc" })).toBe(true);
  expect(forbids({ host: "ok.example" }, { p: "gopher://ok.example/" })).toBe(true);
});

test(
  verifies("policy:matchers", "names with dots, nested names and every element of a list can be reached"),
  () => {
    expect(permits({ equals: 1 }, { "a.b": 1 }, "a\\.b")).toBe(true);
    expect(permits({ equals: 1 }, { a: { b: 1 } }, "a.b")).toBe(true);
    expect(permits({ glob: "*@ok" }, { to: ["x@ok", "y@ok"] }, "to.*")).toBe(true);
    expect(permits({ glob: "*@ok" }, { to: ["x@ok", "y@no"] }, "to.*")).toBe(false);
    expect(permits({ glob: "*@ok" }, { to: [] }, "to.*")).toBe(false);
    expect(permits({ glob: "*@ok" }, { to: "x@ok" }, "to.*")).toBe(false);
    expect(forbids({ glob: "*@no" }, { to: ["x@ok", "y@no"] }, "to.*")).toBe(true);
    expect(forbids({ glob: "*@no" }, { to: [{ a: "y@no" }] }, "to.*.a")).toBe(true);
    expect(permits({ glob: "*@ok" }, { to: [{ a: "y@ok" }, {}] }, "to.*.a")).toBe(false);
  },
);

test(
  verifies(
    "policy:matchers",
    "a path through a value that cannot hold it never permits and always matches a deny",
  ),
  () => {
    expect(forbids({ equals: 1 }, { a: "x" }, "a.b")).toBe(true);
    expect(forbids({ equals: 1 }, { a: [{ b: 2 }] }, "a.b")).toBe(true);
    expect(forbids({ equals: "z" }, { to: "x" }, "to.*")).toBe(true);
    expect(forbids({ equals: "z" }, { to: [{ a: "y" }, 5] }, "to.*.a")).toBe(true);
    expect(permits({ glob: "*" }, { to: [{ a: "y" }, 5] }, "to.*.a")).toBe(false);
    expect(permits({ present: false }, { a: "x" }, "a.b")).toBe(false);
  },
);

test(verifies("policy:matchers", "only own properties are read"), () => {
  expect(permits({ present: true }, {}, "constructor")).toBe(false);
  expect(permits({ present: true }, {}, "__proto__.toString")).toBe(false);
  expect(permits({ equals: 1 }, JSON.parse('{"__proto__": 1}') as JsonObject, "\\__proto__")).toBe(true);
});

test(verifies("policy:matchers", "a text is never equal to a number or to the JSON of another value"), () => {
  expect(permits({ in: [5, "x"] }, { p: "5" })).toBe(false);
  expect(permits({ in: [{ a: 1 }, "x"] }, { p: '{"a":1}' })).toBe(false);
  expect(permits({ in: ["null", false] }, { p: null })).toBe(false);
});

test(verifies("policy:matchers", "several demands on one argument must all hold"), () => {
  expect(permits({ glob: "a*", maxBytes: 2 }, { p: "ab" })).toBe(true);
  expect(permits({ glob: "a*", maxBytes: 2 }, { p: "abc" })).toBe(false);
});

test(
  verifies("policy:literal", "a value is literal when each leaf and each property name is a constant"),
  () => {
    const literals = collectLiterals(["#ops", { to: ["a@x"], n: 3, flag: true }]);
    const policy = {
      default: "deny" as const,
      rules: [{ tools: "s.t", effect: "allow" as const, when: { p: { literal: true } } }],
    };
    const allowed = (value: unknown): boolean =>
      verdict(policy, "s.t", { p: value } as JsonObject, { literals }).effect === "allow";
    expect([allowed("#ops"), allowed(["#ops", 3]), allowed({ to: "a@x" }), allowed([])]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([
      allowed("#op"),
      allowed(["#ops", "x"]),
      allowed({ other: "a@x" }),
      allowed("3"),
      allowed(null),
    ]).toEqual(Array(5).fill(false));
  },
);

test(
  verifies("policy:literal", "with unknown constants nothing is literal, and nothing is surely not"),
  () => {
    expect(permits({ literal: true }, { p: "x" })).toBe(false);
    expect(permits({ literal: false }, { p: "x" })).toBe(false);
    expect(forbids({ literal: false }, { p: "x" })).toBe(true);
  },
);

test(verifies("policy:literal", "a flow spares a call whose recipient is a constant"), () => {
  const policy = {
    default: "allow" as const,
    flows: [
      {
        id: "trifecta",
        from: ["private", "untrusted"],
        to: { external: true as const },
        effect: "ask" as const,
        unless: { to: { literal: true } },
      },
    ],
  };
  const given = { labels: ["private", "untrusted"], literals: collectLiterals(["boss@x"]) };
  expect(verdict(policy, "mail.send", { to: "boss@x" }, given).effect).toBe("allow");
  expect(verdict(policy, "mail.send", { to: "evil@x" }, given).effect).toBe("ask");
  expect(verdict(policy, "mail.send", {}, given).effect).toBe("ask");
});
