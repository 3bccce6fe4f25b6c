import { posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fold } from "../../../broker/policy/fold.ts";
import { isHost, parseHost, readUrl } from "../../../broker/policy/host.ts";
import { isUnder, parseRoot, readPath } from "../../../broker/policy/under.ts";
import type { MatcherInput } from "../../../broker/policy/schema.ts";
import { verifies } from "../../requirements.ts";
import { propertyRuns, propertyTimeout, verdict } from "./support.ts";

function permits(matcher: MatcherInput, value: string): boolean {
  const rules = [{ tools: "s.t", effect: "allow" as const, when: { p: matcher } }];
  return verdict({ default: "deny", rules }, "s.t", { p: value }).effect === "allow";
}

function forbids(matcher: MatcherInput, value: string): boolean {
  const rules = [{ tools: "s.t", effect: "deny" as const, when: { p: matcher } }];
  return verdict({ default: "allow", rules }, "s.t", { p: value }).effect === "deny";
}

test.each([
  "/srv/app/../../etc/passwd",
  "/srv/app/%2e%2e/%2e%2e/etc/passwd",
  "/srv/app/%2E./x",
  "/srv/app/..%2f..%2fetc",
  "/srv/app/%252e%252e/%252e%252e/etc",
  "/srv/app/%25252e%25252e/x",
  "/srv/app/..\\..\\etc",
  "/srv/app/%5c..%5c..%5cetc",
  "//srv/app/x",
  "/srv/app\u0000/../etc",
  "/srv/app/%00",
  "/srv/application",
  "/SRV/app/x",
  "C:\\srv\\app",
  "~/srv/app",
  "/srv/app/．．/x",
  "",
])(verifies("policy:canonical", "no spelling leads out of an allowed root: %j"), (path) => {
  expect(permits({ under: "/srv/app" }, path)).toBe(false);
});

test.each([
  "/etc/passwd",
  "/srv/../etc/passwd",
  "/%65tc/passwd",
  "/srv/%2e%2e/etc/x",
  "/ETC/passwd",
  "/./etc//x",
  "/e\u200btc/x",
  "\\etc\\x",
  "etc/x",
])(verifies("policy:canonical", "no spelling of a denied path escapes: %j"), (path) => {
  expect(forbids({ under: "/etc" }, path)).toBe(true);
});

test.each([
  "/srv/app",
  "/srv/app/",
  "/srv/app/a b/ü.txt",
  "/srv//app/./x",
  "/srv/app/x/../y",
  "/srv/app/100%",
  "/srv/app/a%20b",
])(verifies("policy:canonical", "ordinary paths below the root are allowed: %j"), (path) => {
  expect(permits({ under: "/srv/app" }, path)).toBe(true);
});

test(verifies("policy:canonical", "roots on a drive ignore case and take both slashes"), () => {
  expect(permits({ under: "C:\\App" }, "c:/app/x")).toBe(true);
  expect(permits({ under: "C:\\App" }, "C:\\app\\..\\x")).toBe(false);
  expect(permits({ under: "C:\\App" }, "/App/x")).toBe(false);
});

test(
  verifies("policy:canonical", "whatever a server decodes, a permitted path stays below its root"),
  () => {
    const root = parseRoot("/srv/app")!;
    const part = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2E",
      "%2f",
      "%5c",
      "%25",
      "srv",
      "app",
      "a",
      "/srv/app",
      "2e",
      "%",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, prefixed) => {
        const path = (prefixed ? "/srv/app/" : "") + parts.join("");
        fc.pre(isUnder(root, readPath(path)) === "yes");
        let text = path;
        for (let i = 0; i < 4; i++) {
          for (const reading of [text, text.replaceAll("\\", "/")]) {
            expect(`${posix.normalize(reading)}/`).toMatch(/^\/srv\/app\//);
          }
          text = text.replace(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code));
        }
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test.each([
  "https://evil.example/",
  "https://EVIL.Example/",
  "https://evil.example./",
  "https://evil.example../",
  "https://ev%69l.example/",
  "https://ｅvil.example/",
  "https://evil。example/",
  "https://ok.example@evil.example/",
  "https://evil.example@ok.example/",
  "https://evil.example\\@ok.example/",
  "https:/evil.example/",
  "https:evil.example",
  "ht\ntps://evil.example/",
  " https://evil.example/",
  "//evil.example/",
  "https://e\u00advil.example/",
  "https://evil.example:444/",
  "blob:https://evil.example/x",
])(verifies("policy:canonical", "no spelling of a denied host escapes: %j"), (url) => {
  expect(forbids({ host: "evil.example" }, url)).toBe(true);
});

test.each([
  "https://ok.example.evil.example/",
  "https://ok.example@evil.example/",
  "https://evil.example\\@ok.example/",
  "https://evil.example/#@ok.example",
  "https://evil.example?ok.example",
  "https://user@ok.example/",
  "https://оk.example/",
  "https://ok.example%2f@evil.example/",
  "https://ok.example\t.evil.example/",
  "//ok.example/",
  "javascript://ok.example/%0aalert(1)",
  "https://ok.example\\.evil.example/",
])(verifies("policy:canonical", "no other spelling passes for an allowed host: %j"), (url) => {
  expect(permits({ host: "ok.example" }, url)).toBe(false);
});

test(verifies("policy:canonical", "international host names are compared in punycode"), () => {
  expect(forbids({ host: "bücher.example" }, "https://xn--bcher-kva.example/")).toBe(true);
  expect(forbids({ host: "xn--bcher-kva.example" }, "https://BÜCHER.example/")).toBe(true);
  expect(forbids({ host: "127.0.0.1" }, "http://0x7f.1/")).toBe(true);
});

test(
  verifies("policy:canonical", "a permitted URL leads to the host by the URL standard"),
  () => {
    const host = parseHost("ok.example")!;
    const part = fc.constantFrom(
      "https://",
      "http://",
      "ok.example",
      "evil.example",
      "@",
      ":",
      "/",
      "\\",
      "?",
      "#",
      ".",
      "%2e",
      "\t",
      "80",
      "оk",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, prefixed) => {
        const url = (prefixed ? "https://ok.example" : "") + parts.join("");
        fc.pre(isHost(host, readUrl(url)) === "yes");
        expect(new URL(url).hostname.replace(/\.$/, "")).toBe("ok.example");
        // The authority as a naive reader takes it.
        expect(/^https?:\/\/([^/?#:]*)/.exec(url)![1]).toMatch(/^ok\.example\.?$/);
      }),
      { numRuns: propertyRuns },
    );
  },
  propertyTimeout,
);

test.each([
  ["secret", "SECRET"],
  ["secret", "ｓｅｃｒｅｔ"],
  ["secret", "sеcrеt"],
  ["secret", "se\u200bcr\u2060et"],
  ["secret", "s\u00adecret"],
  ["café", "cafe\u0301"],
  ["file", "ﬁle"],
  ["a-b", "a‐b"],
])(verifies("policy:canonical", "a deny of %j holds of the look-alike %j"), (denied, value) => {
  expect(forbids({ equals: denied }, value)).toBe(true);
  expect(forbids({ in: ["x", denied] }, value)).toBe(true);
  expect(forbids({ glob: `*${denied}*` }, `a ${value} b`)).toBe(true);
  expect(forbids({ regex: `.*${denied}.*` }, `a ${value} b`)).toBe(true);
});

test.each([
  ["#ops", "#OPS"],
  ["#ops", "#оps"],
  ["#ops", "#ops "],
  ["#ops", "#op\u200bs"],
  ["café", "cafe\u0301"],
])(verifies("policy:canonical", "an allow of %j does not hold of the look-alike %j"), (allowed, value) => {
  expect(permits({ equals: allowed }, value)).toBe(false);
  expect(permits({ glob: allowed }, value)).toBe(false);
  expect(permits({ regex: allowed }, value)).toBe(false);
});

test(
  verifies(
    "policy:canonical",
    "negation keeps the strict side: what an allow excludes, its look-alikes are excluded too",
  ),
  () => {
    expect(permits({ not: { glob: "*secret*" } }, "a SECRET b")).toBe(false);
    expect(permits({ not: { equals: "prod" } }, "ＰＲＯＤ")).toBe(false);
    expect(forbids({ not: { in: ["#ops"] } }, "#OPS")).toBe(true);
    expect(permits({ not: { under: "/etc" } }, "/srv/%2e%2e/etc")).toBe(false);
  },
);

test(
  verifies("policy:canonical", "folding is stable and blind to case"),
  () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: Math.min(propertyRuns, 20_000) },
    );
  },
  propertyTimeout,
);
