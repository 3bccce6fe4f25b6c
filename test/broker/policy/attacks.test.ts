// Calls written so that the policy reads one thing and the server does another.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../contract/json.ts";
import type { MatcherInput } from "../../../broker/policy/schema.ts";
import { verifies } from "../../requirements.ts";
import { verdict } from "./support.ts";

function permits(matcher: MatcherInput, args: JsonObject, path: string = "p"): boolean {
  const rules = [{ tools: "s.t", effect: "allow", when: { [path]: matcher } } as const];
  return verdict({ default: "deny", rules }, "s.t", args).effect === "allow";
}

function forbids(matcher: MatcherInput, args: JsonObject, path: string = "p"): boolean {
  const rules = [{ tools: "s.t", effect: "deny", when: { [path]: matcher } } as const];
  return verdict({ default: "allow", rules }, "s.t", args).effect === "deny";
}

test.each<[string, JsonObject]>([
  ["another case", { path: "/srv/app/a", PATH: "/etc/passwd" }],
  ["full width", { path: "/srv/app/a", ｐath: "/etc/passwd" }],
  ["invisible characters", { path: "/srv/app/a", "pa\u200bth": "/etc/passwd" }],
  ["a look-alike letter", { path: "/srv/app/a", рath: "/etc/passwd" }],
])(
  verifies(
    "policy:canonical",
    "a second argument whose name differs by %s is judged too: readers may take it for the first",
  ),
  (_what, args) => {
    expect(permits({ under: "/srv/app" }, args, "path")).toBe(false);
    expect(forbids({ under: "/etc" }, args, "path")).toBe(true);
    expect(forbids({ under: "/usr" }, args, "path")).toBe(true);
    expect(permits({ under: "/srv/app" }, { in: args }, "in.path")).toBe(false);
    expect(forbids({ under: "/etc" }, { in: args }, "in.path")).toBe(true);
  },
);

test(verifies("policy:canonical", "an argument of another case alone is neither absent nor there"), () => {
  const args = { Path: "/etc/passwd" };
  expect(forbids({ under: "/etc" }, args, "path")).toBe(true);
  expect(permits({ under: "/etc" }, args, "path")).toBe(false);
  expect(permits({ present: false }, args, "path")).toBe(false);
  expect(forbids({ present: false }, args, "path")).toBe(true);
  expect(permits({ under: "/etc" }, { in: args }, "IN.path")).toBe(false);
  expect(forbids({ under: "/etc" }, { in: args }, "IN.path")).toBe(true);
});

test(verifies("policy:canonical", "other arguments are of no concern"), () => {
  const args = { path: "/srv/app/a", paths: ["/etc"], pat: 1, content: "PATH" };
  expect(permits({ under: "/srv/app" }, args, "path")).toBe(true);
  expect(forbids({ under: "/etc" }, args, "path")).toBe(false);
});

test.each([
  "http://0177.0.0.1/",
  "http://0x7f.0.0.1/",
  "http://2130706433/",
  "http://127.1/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::7f00:1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://ok.example?@127.0.0.1/",
  "http://ok.example#@127.0.0.1/",
  "http://ok.example?x=1&u=@127.0.0.1/",
])(
  verifies("policy:canonical", "%s is read in two ways: no host permits it, every host forbids it"),
  (url) => {
    for (const host of ["127.0.0.1", "177.0.0.1", "ok.example", "[::ffff:7f00:1]", "[::7f00:1]"]) {
      expect(permits({ host }, { p: url })).toBe(false);
      expect(forbids({ host }, { p: url })).toBe(true);
    }
  },
);

test(verifies("policy:canonical", "an address that is written as addresses are is read in one way"), () => {
  expect(permits({ host: "127.0.0.1" }, { p: "http://127.0.0.1:80/a@b" })).toBe(true);
  expect(permits({ host: "[::1]" }, { p: "http://[::1]/" })).toBe(true);
  expect(forbids({ host: "127.0.0.1" }, { p: "http://127.0.0.2/" })).toBe(false);
  expect(permits({ host: "ok.example" }, { p: "http://ok.example?a=b#c" })).toBe(true);
});

test.each([
  "C:\\srv\\app\\.. \\..\\x",
  "C:\\srv\\app\\...\\x",
  "/srv/app/.. /x",
  "/srv/app/...%20/x",
  "C:/srv/app/.. ./x",
])(
  verifies(
    "policy:canonical",
    "%j has a part that some systems read as ..: it is inside nothing and outside nothing",
  ),
  (p) => {
    const root = p.startsWith("C") ? "C:\\srv\\app" : "/srv/app";
    expect(permits({ under: root }, { p })).toBe(false);
    expect(forbids({ under: "/etc" }, { p })).toBe(true);
  },
);

test(verifies("policy:canonical", "dots inside a name are part of it"), () => {
  for (const p of ["/srv/app/..a", "/srv/app/a..", "/srv/app/a...b", "/srv/app/.env", "/srv/app/a. b"])
    expect(permits({ under: "/srv/app" }, { p })).toBe(true);
});
