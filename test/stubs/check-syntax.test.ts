// Shows what is refused by its syntax alone: broken text, unsupported syntax, ways out of the wrapper.
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";
import { run, useCompiler } from "./check-support.ts";

const { compile, one, places } = useCompiler();

test.each([
  ["const = 1;", "1:7"],
  ["const x = 'abc\nfoo()", "1:15"],
  ["const x = `abc", "1:15"],
  ["if (true) {\n  1;", "2:5"],
  ["foo(", "1:5"],
  ["return [1, 2;", "1:13"],
  ["/* never closed", "1:16"],
  ["let x = 08;", "1:9"],
  ["for (let i = 0; i < 3; i++ {", "1:28"],
])(verifies("check:syntax", "%j is told where it is, whatever the mode"), async (script, place) => {
  for (const mode of ["error", "warn", "off"] as const) {
    const { code, diagnostics } = await compile(script, mode);
    expect(code).toBeUndefined();
    const [first] = diagnostics;
    expect(first).toMatchObject({ severity: "error", code: "SCRIPT_SYNTAX" });
    expect(`${first?.line}:${first?.column}`).toBe(place);
    expect(first?.source).toBe(script.split("\n")[(first?.line ?? 0) - 1]);
  }
});

test(verifies("check:syntax", "an unterminated string says how a line break is written"), async () => {
  const { diagnostics } = await compile('await files.read_file({ path: "a\nb" });');
  expect(diagnostics[0]?.suggestion).toContain("\\n");
});

test(verifies("check:syntax", "text around a code fence is told from code"), async () => {
  const { diagnostics } = await compile("Here is the script:\n```ts\nreturn 1;\n```");
  expect(diagnostics[0]?.suggestion).toContain("no text around it");
});

test.each([
  ["let a = 1;\nlet a = 2;", "2:5", "already been declared"],
  ["[1].forEach((x) => { await x; });", "1:22", "await is only valid"],
  ["with ({}) {}", "1:1", ""],
  ["break;", "1:1", ""],
  ["const x = 1;\n\tx = 2; delete x;", "2:16", ""],
])(
  verifies("check:engine", "an early error of the engine is found before the run: %j"),
  async (script, place, words) => {
    const { code, diagnostics } = await compile(script, "off");
    expect(code).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ code: "SCRIPT_SYNTAX", severity: "error" });
    expect(diagnostics[0]?.message).toContain(words);
    expect(`${diagnostics[0]?.line}:${diagnostics[0]?.column}`).toBe(place);
  },
);

test.each([
  ["enum Color { Red }", "as const"],
  ["const enum Color { Red }", "as const"],
  ["namespace N { export const x = 1 }", "plain object"],
  ["module M { export const x = 1 }", "plain object"],
  ["declare global { var x: number }", "plain object"],
  ["declare namespace github { function x(): void }", "declared already"],
  ["declare const github: any;", "in scope"],
  ["declare function f(): void;", "in scope"],
  ["class A { constructor(private x: number) {} }", "constructor"],
  ["class A { constructor(readonly x: number) {} }", "constructor"],
  ["const x = <any>1;", "as T"],
  ["@log class A {}", "around the value"],
  ["class A { @log f() {} }", "around the value"],
  ["class A { accessor x = 1 }", "getter"],
  ["const e = <div>hi</div>;", "template literal"],
  ["const e = <Foo a={1} />;", "template literal"],
  ['import fs from "fs";', "in scope"],
  ['import type { A } from "a";', "in scope"],
  ['import "a";', "in scope"],
  ['import a = require("a");', "in scope"],
  ['const fs = await import("fs");', "in scope"],
  ["const u = import.meta.url;", undefined],
  ['type A = import("a").A;', "Declare the type"],
  ["export const a = 1;", "Remove `export`"],
  ["export { a }; const a = 1;", "Remove `export`"],
  ['export * from "a";', "Remove `export`"],
  ["export default 1;", "Remove `export`"],
  ["export = 1;", "Remove `export`"],
])(
  verifies("check:unsupported", "%j is refused with what to write instead, whatever the mode"),
  async (script, words) => {
    for (const mode of ["error", "off"] as const) {
      const diagnostic = await one(script, mode);
      expect(diagnostic).toMatchObject({ severity: "error", code: "SCRIPT_UNSUPPORTED_SYNTAX" });
      if (words !== undefined) expect(diagnostic.suggestion).toContain(words);
      expect((await compile(script, mode)).code).toBeUndefined();
    }
  },
);

test(verifies("check:unsupported", "each is told where it stands, first position first"), async () => {
  expect(await places('import a from "a";\nconst b = <any>1;\nenum C {}')).toEqual([
    "error SCRIPT_UNSUPPORTED_SYNTAX 1:1",
    "error SCRIPT_UNSUPPORTED_SYNTAX 2:11",
    "error SCRIPT_UNSUPPORTED_SYNTAX 3:1",
  ]);
});

test.each([
  "} ; evil(); {",
  "}",
  "}}",
  "}\n{",
  "}); evil(); (async function () {",
  "})(); (async () => {",
  "} async function evil() {",
  "}, evil(), async function () {",
  "/**/}\nevil();\nasync function __main() {",
  "return 1 }\n// @ts-ignore\n(function(){",
  "class A { } }",
  "`${1}`}`${`{`}`",
])(verifies("check:wrapper", "%j does not leave the wrapper"), async (script) => {
  for (const mode of ["error", "warn", "off"] as const) {
    const { code, diagnostics } = await compile(script, mode);
    expect(code).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ severity: "error", code: "SCRIPT_SYNTAX" });
  }
});

test.each([
  "let x = 1, a = 0;\na <!--/*\n}); evil(); (async function () {\n/* */ x;",
  "var a = 1, x = 1;\nif (a<!--x\n) {}",
  "var x = 1;\n/* a\n*/ --> }); evil(); (async function () {\nx;",
  "var x = 1;\n--> }); evil(); (async function () {\nx;",
])(verifies("check:wrapper", "what the engine would take for a comment is refused: %j"), async (script) => {
  expect((await compile(script, "off")).code).toBeUndefined();
});

test(verifies("check:wrapper", "`<!--` in text is only text, and goes-to is only arithmetic"), async () => {
  const script =
    "let n = 2, s = '';\nwhile (n --> 0) s += `<!-- ${n} -->`;\nreturn s + '<!--' + /<!--/.source; // <!-- -->";
  expect(await run((await compile(script)).code)).toBe("<!-- 1 --><!-- 0 --><!--<!--");
});

test.each([
  "// @ts-nocheck\nconst x: number = 'a';",
  "/* @ts-nocheck */\nconst x: number = 'a';",
  '/// <reference lib="dom" />\ndocument.title;',
  '/// <reference types="node" />\nprocess.exit();',
  '/// <reference path="/etc/passwd" />\nconst x: number = "a";',
  "// @ts-check off\n// @strict: false\nconst x: number = null;",
])(verifies("check:directives", "%j has no effect"), async (script) => {
  expect(await places(script)).toEqual([expect.stringMatching(/^error SCRIPT_TYPE [23]:/)]);
});
