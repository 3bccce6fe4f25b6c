// Shows how text becomes words.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parameterTexts } from "../../stubs/search/fields.ts";
import { compactForm, termOf, wordsOf } from "../../stubs/search/words.ts";
import { distance } from "../../stubs/search/near.ts";
import { verifies } from "../requirements.ts";

test.each([
  ["getHTTPUrl", "get http url"],
  ["list_issues", "list issues"],
  ["API-post-search", "api post search"],
  ["HTTPServer2Go", "http server2 go"],
  ["aB", "a b"],
  ["ABC", "abc"],
  ["x1Y", "x1 y"],
  ["mcp__a__b.c/d", "mcp a b c d"],
  ["“quoted” — text… → done", "quoted text done"],
  ["naïveCase ÉtéHiver", "naïve case été hiver"],
  ["使用必应 foo", "使用 用必 必应 foo"],
  ["書", "書"],
  ["ｆｕｌｌ　ｗｉｄｔｈ", "full width"],
  ["", ""],
  [" _-*/\n", ""],
])(verifies("catalog:recall", "%j has the words %j"), (text, words) =>
  expect(wordsOf(text).join(" ")).toBe(words),
);

test(verifies("catalog:recall", "words of plain text are the same by the fast and the general way"), () => {
  const plain = fc.string({ unit: fc.constantFrom(..."aBcDE12 _-.,"), maxLength: 30 });
  fc.assert(
    fc.property(plain, (text) => {
      expect(wordsOf(`${text} é`)).toEqual([...wordsOf(text), "é"]);
    }),
  );
});

test(
  verifies("catalog:exact-name", "case, camel humps and separators do not matter to a name's compact form"),
  () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcxyz"), minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("_", "-", ".", " ", "__"),
        (words, mark) => {
          const camel = words.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join("");
          for (const text of [words.join(mark), camel, camel.toUpperCase(), words.join("")]) {
            expect(compactForm(text)).toBe(words.join(""));
          }
        },
      ),
    );
  },
);

test(
  verifies("catalog:recall", "stop words have no term, and words named like object members have one"),
  () => {
    expect(["the", "please", "get"].map(termOf)).toEqual([undefined, undefined, undefined]);
    for (const word of ["constructor", "prototype", "hasownproperty"])
      expect(termOf(word)).toBeTypeOf("string");
  },
);

test(
  verifies("catalog:bounded", "the words of one text and the parameters of one schema are bounded"),
  () => {
    expect(wordsOf("ab ".repeat(1_000_000)).length).toBeLessThan(7_000);
    expect(Math.max(...wordsOf("a".repeat(100_000)).map((word) => word.length))).toBeLessThanOrEqual(48);
    const wide = { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, {}])) };
    expect(parameterTexts(wide).length).toBeLessThanOrEqual(400);
  },
);

test(verifies("catalog:bounded", "a schema that is no schema has no parameters"), () => {
  for (const schema of [
    true,
    null,
    "x",
    [],
    { properties: 3 },
    { properties: { a: true }, anyOf: "x", items: null },
  ]) {
    expect(parameterTexts(schema).length).toBeLessThanOrEqual(1);
  }
});

test(
  verifies("catalog:near", "distance is 0 for the same text only, the same both ways, and 1 for one slip"),
  () => {
    const text = fc.string({ unit: fc.constantFrom(..."abc"), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
    for (const slip of ["isue", "issuee", "isxue", "sisue"]) expect(distance("issue", slip)).toBe(1);
  },
);
