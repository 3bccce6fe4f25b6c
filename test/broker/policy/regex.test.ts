import fc from "fast-check";
import { expect, test } from "vitest";
import { matchGlob, parseGlob } from "../../../broker/policy/glob.ts";
import { matchRegex, parseRegex } from "../../../broker/policy/regex.ts";
import { verifies } from "../../requirements.ts";
import { propertyRuns, propertyTimeout, verdict } from "./support.ts";

const pattern: fc.Arbitrary<string> = fc.letrec<{ any: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      "a",
      "b",
      "c",
      ".",
      "\\d",
      "\\W",
      "\\s",
      "[a-b]",
      "[^a]",
      "[\\d\\-b]",
      "[^\\w]",
      "\\.",
      "\\u0061",
      "\\x62",
      "\\u{1f600}",
      "[]",
      "[^]",
    ),
    tie("any").map((inner) => `(${inner})`),
    tie("any").map((inner) => `(?:${inner})`),
  ),
  any: fc.oneof(
    { maxDepth: 4 },
    tie("atom"),
    fc
      .tuple(tie("atom"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "{0}"))
      .map((parts) => parts.join("")),
    fc.tuple(tie("any"), tie("any")).map((parts) => parts.join("")),
    fc.tuple(tie("any"), tie("any")).map((parts) => parts.join("|")),
    fc.constant(""),
  ),
})).any;
const subject = fc
  .array(fc.constantFrom("a", "b", "c", "1", " ", ".", "-", "\n", "😀"), { maxLength: 8 })
  .map((parts) => parts.join(""));

test(
  verifies("policy:linear", "the linear engine agrees with the language on whole texts"),
  () => {
    fc.assert(
      fc.property(pattern, fc.array(subject, { minLength: 3, maxLength: 6 }), (source, texts) => {
        const native = new RegExp(`^(?:${source})$`, "su");
        const own = parseRegex(source);
        for (const text of texts) {
          const wanted = [text, native.test(text)];
          expect([text, matchRegex({ ...own, native: undefined }, text)]).toEqual(wanted);
          expect([text, matchRegex(own, text)]).toEqual(wanted);
        }
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test.each([
  "(a+)+$",
  "(a|a)*b",
  "(.*)*x",
  "(a*)*(a*)*b",
  "(?:a?){30}a{30}",
  "((a+)+)+",
  "[^]*a[^]*b[^]*c[^]*d",
])(verifies("policy:linear", "%j is harmless on a long text made to hurt"), (source) => {
  expect(matchRegex(parseRegex(source), `${"a".repeat(30_000)}!`)).toBe(false);
});

test(verifies("policy:linear", "globs are harmless on a long text made to hurt"), () => {
  expect(matchGlob(parseGlob("*a*a*a*a*a*a*a*a*b"), "a".repeat(200_000))).toBe(false);
  expect(matchGlob(parseGlob("*a?a?a*a?a*a?b"), "a".repeat(200_000))).toBe(false);
});

test.each([
  ["(", 'each "(" has its ")"'],
  ["a)", 'unmatched ")"'],
  ["[a", "ends too early"],
  ["a**", "one quantifier after another"],
  ["*a", 'something before "*"'],
  ["a{2,1}", "n not above m"],
  ["a{,2}", "{n,m}"],
  ["(?=a)b", "without look-around"],
  ["(?<n>a)", "without look-around"],
  ["\\1", "without \\1"],
  ["\\bword", "without \\b"],
  ["\\p{L}", "without \\p"],
  ["a^b", 'with "^" only at its end'],
  ["^a|b$", "a group around the alternatives"],
  ["[b-a]", "from low to high"],
  ["\\u{110000}", "\\u{H…}"],
  ["a".repeat(501), "at most 500 characters"],
  ["((a{99}){99}){99}", "a simpler pattern"],
  ["(".repeat(40) + ")".repeat(40), "at most 30 deep"],
])(verifies("policy:linear", "%j is refused with what was expected"), (source, message) => {
  expect(() => parseRegex(source)).toThrow(message);
});

test(verifies("policy:linear", "a pattern covers the whole value, with or without its anchors"), () => {
  for (const source of ["ab+", "^ab+$", "^ab+", "ab+$"]) {
    expect(matchRegex(parseRegex(source), "abb")).toBe(true);
    expect(matchRegex(parseRegex(source), "xabb")).toBe(false);
    expect(matchRegex(parseRegex(source), "abb\n")).toBe(false);
  }
  expect(matchRegex(parseRegex("a\\$"), "a$")).toBe(true);
});

test(
  verifies("policy:linear", "a text too long to be judged never permits and always matches a deny"),
  () => {
    const long = "a".repeat(40_000);
    const when = { p: { regex: "b*" } };
    const rule = (effect: "allow" | "deny"): string =>
      verdict(
        { default: effect === "deny" ? "allow" : "deny", rules: [{ tools: "s.t", effect, when }] },
        "s.t",
        { p: long },
      ).effect;
    expect([rule("allow"), rule("deny")]).toEqual(["deny", "deny"]);
  },
);
