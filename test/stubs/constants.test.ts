// The constants of a script, found in the thread that compiles it.
import { expect, test } from "vitest";
import { findConstants } from "../../stubs/check/constants.ts";
import { Pipeline } from "../../stubs/check/pipeline.ts";
import { parseScript } from "../../stubs/check/program.ts";
import { verifies } from "../requirements.ts";

const of = (script: string): readonly unknown[] => findConstants(parseScript(script));

test.each<[string, string, readonly unknown[]]>([
  ["texts", "f('a', \"b\", `c`)", ["a", "b", "c"]],
  ["a text with escapes, by value", String.raw`f("\u0061\n")`, ["a\n"]],
  ["numbers, by value", "f(1_000, 0x10, 1.50, -7)", [1000, 16, 1.5, -7, 7]],
  ["true, false and null", "f(true, false, null)", [true, false, null]],
  ["names of object literals", "f({ to, cc: x, 'b c': y, 1: z })", ["to", "cc", "b c", "1", 1]],
  ["literals inside a computed template", "f(`x${c ? 'yes' : 'no'}z`)", ["yes", "no"]],
])(verifies("approval:literals", "%s are constants of a script"), (_, script, expected) => {
  expect(new Set(of(script))).toEqual(new Set(expected));
});

test.each([
  ["the parts of a computed template", "f(`evil@${host}.example`)"],
  ["a tagged template", "f(tag`evil`)"],
  ["a literal type", "let a: 'evil' | undefined; type B = { evil: 'x' }"],
  ["a name that is only read", "f(a.evil, evil)"],
  ["a computed name", "f({ [evil]: a })"],
  ["a comment", "f(a) // 'evil'"],
  ["a regular expression", "f(/evil/)"],
])(verifies("approval:literals", "%s is no constant"), (_, script) => {
  expect(of(script)).toEqual([]);
});

test(verifies("approval:literals", "a joined text is no constant, only its parts are"), () => {
  expect(of("f('evil@' + 'example')")).toEqual(["evil@", "example"]);
});

test(verifies("approval:literals", "constants are bounded in number and size"), () => {
  const many = Array.from({ length: 30_000 }, (_, index) => index).join();
  expect(of(`f([${many}])`)).toHaveLength(20_000);
  expect(of(`f("${"x".repeat(600_000)}", "${"y".repeat(600_000)}", "z")`)).toHaveLength(1);
});

test(
  verifies("approval:literals", "a compiled script comes with its constants, a refused one without"),
  () => {
    const pipeline = new Pipeline();
    expect(pipeline.compile("return 'a'", "off").constants).toEqual(["a"]);
    expect(pipeline.compile("return (", "off").constants).toBeUndefined();
    expect(pipeline.compile("export default async () => 'a';", "error").constants).toEqual(["a"]);
  },
);
