import fc from "fast-check";
import { expect, test } from "vitest";
import { automatonOf, isAnchored } from "../../contract/schema/pattern-automaton.ts";
import { parsePattern } from "../../contract/schema/pattern-syntax.ts";
import { patternGuard } from "../../contract/schema/pattern.ts";
import { complement, meets, union, type CharSet } from "../../contract/schema/pattern-set.ts";
import { verifies } from "../requirements.ts";

test.for([
  "^(a+)+$",
  "(a|a)*$",
  "(a|aa)+$",
  "^(a?b?)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(a?){30}a{30}",
  "(.*a){12}",
  "^\\s*(.*)\\s*$",
  "^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaa$",
  "^((?:a|b)*|(?:ab)*)*$",
  "^(?:(?=(a+))\\1)+$",
  "^(?:a(?!b*c))*$",
  "(\\w+)\\s\\1",
  "^([^\\s]+\\s?)*$",
])(verifies("schema:patterns", "%s is run on very short texts at most"), (pattern) => {
  expect(patternGuard(pattern) ?? 0).toBeLessThanOrEqual(8);
});

test(
  verifies(
    "schema:patterns",
    "what grows without bound is still tried on short texts, unless it cannot be counted",
  ),
  () => {
    expect(patternGuard("^(a+)+$")).toBe(8);
    expect(patternGuard("^(a|b?)*(a*)*$")).toBeUndefined();
    expect(patternGuard(`^(${"a|".repeat(400)}a)+$`)).toBeUndefined();
  },
);

test.for([
  "^[A-Z]{2}-[0-9]+$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^(\\d+\\.)+\\d+$",
  "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
  "^#[0-9a-f]{3,6}$",
  "^\\p{Lu}\\p{Ll}+$",
  "^x-",
  ".*",
  "^([01]{8})*$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  "^(?!.*\\.\\.)[a-z.]+@([a-z0-9][a-z0-9-]*\\.)+[a-z]{2,}$",
  "^(?:\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01]))T(?:[01]\\d|2[0-3]):[0-5]\\d(?:\\.\\d+)?Z$",
  "^[\\u{1F600}-\\u{1F64F}\\x41\\u0042]+$",
  "^\\ud83d\\ude00+$",
])(verifies("schema:patterns", "%s is run on any text"), (pattern) => {
  expect(patternGuard(pattern)).toBe(Infinity);
});

test.for(["\\d+$", "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "^a*a*$", "x*y", "^(.|\\n)*(.|\\n)*$"])(
  verifies("schema:patterns", "%s is run on short texts"),
  (pattern) => {
    expect(patternGuard(pattern)).toBe(256);
  },
);

test.for(["[", "(?P<y>a)", "\\Z", "a{2,1}", "(?i:a)", "^" + "a".repeat(1_001)])(
  verifies("schema:patterns", "what does not compile, or is not judged, is dropped"),
  (pattern) => {
    expect(patternGuard(pattern)).toBeUndefined();
  },
);

const piece: fc.Arbitrary<string> = fc.letrec<{ piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", "ab", ".", "[ab]", "[^a]", "\\w"),
    fc
      .tuple(tie("piece"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "*?"))
      .map(([body, q]) => `(?:${body})${q}`),
    fc.tuple(tie("piece"), tie("piece")).map(([left, right]) => `(?:${left}|${right})`),
    fc.tuple(tie("piece"), tie("piece")).map(([left, right]) => left + right),
  ),
})).piece;

/** Steps a backtracking engine takes to find that nothing matches at one start; stops counting at `most`. */
function stepsToFail(pattern: string, text: string, most: number): number {
  const node = parsePattern(pattern);
  const automaton = node === undefined ? undefined : automatonOf(node, true);
  if (automaton === undefined) return 0;
  let steps = 0;
  const walk = (edges: ReadonlyMap<number, number>, at: number): void => {
    for (const [state, ways] of edges) {
      for (let way = 0; way < ways; way += 1) {
        steps += 1;
        if (steps > most || at >= text.length) return;
        const set = automaton.sets[state] as CharSet;
        const code = text.charCodeAt(at);
        if (meets(set, [[code, code]])) walk(automaton.next[state] as ReadonlyMap<number, number>, at + 1);
      }
    }
  };
  walk(automaton.first, 0);
  return steps;
}

test(
  verifies("schema:patterns", "a pattern that is kept takes few steps on the texts it is tried on"),
  () => {
    const texts = fc
      .tuple(fc.constantFrom("a", "b", "ab", "aab", "ba"), fc.constantFrom("", "a", "b"))
      .map(([unit, head]) => head + unit.repeat(14));
    fc.assert(
      fc.property(piece, texts, (body, text) => {
        const pattern = `^${body}$`;
        const guard = patternGuard(pattern);
        fc.pre(guard !== undefined);
        const tried = text.slice(0, guard);
        const length = tried.length;
        // Up to 12 choices outside loops may be open, each of a few ways.
        const linear = 600 * (guard === Infinity ? length : length ** 2);
        const allowed = (guard as number) < 256 ? 2_000 : linear;
        expect(stepsToFail(pattern, tried, allowed + 1)).toBeLessThanOrEqual(allowed);
      }),
      { numRuns: 2_000 },
    );
  },
);

test(verifies("schema:patterns", "an anchor counts only when every way begins with it"), () => {
  const anchored = (pattern: string): boolean => isAnchored(parsePattern(pattern) ?? { kind: "assertion" });
  expect(["^a", "(^a|^b)c", "(?=x)^a"].map(anchored)).toEqual([true, true, true]);
  expect(["a", "^a|b", "a^", "(^)?a"].map(anchored)).toEqual([false, false, false, false]);
});

test(verifies("schema:patterns", "sets of characters know where they meet"), () => {
  const set = fc.array(
    fc.tuple(fc.nat(50), fc.nat(5)).map(([first, more]) => [first, first + more] as const),
  );
  const has = (of: CharSet, code: number): boolean =>
    of.some(([first, last]) => first <= code && code <= last);
  fc.assert(
    fc.property(set, set, fc.nat(60), (left, right, code) => {
      const [a, b] = [union([left]), union([right])];
      const codes = Array.from({ length: 61 }, (_unused, index) => index);
      expect(has(a, code)).toBe(has(left, code));
      expect(has(complement(a), code)).toBe(!has(a, code));
      expect(meets(a, b)).toBe(codes.some((each) => has(a, each) && has(b, each)));
    }),
  );
});
