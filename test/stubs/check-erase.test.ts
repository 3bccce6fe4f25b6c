// Shows that erasing types changes nothing but types, and that the result means what the script meant.
import fc from "fast-check";
import { expect, test } from "vitest";
import { WRAPPER } from "../../contract/compile.ts";
import { Pipeline } from "../../stubs/check/pipeline.ts";
import { verifies } from "../requirements.ts";
import { run, useCompiler } from "./check-support.ts";

const { compile } = useCompiler();

function bodyOf(code: string | undefined): string {
  if (code === undefined) throw new Error("the script did not compile");
  return code.slice(WRAPPER.runnable.before.length, code.length - WRAPPER.runnable.after.length);
}

test.each([
  ["const n: number = 1; return n;", 1],
  ["const ids = [1, 2] as number[]; return ids.map((x: number) => x * 2).join();", "2,4"],
  ["interface A { b: string }\ntype C = A | null;\nconst c: C = { b: 'x' };\nreturn c!.b;", "x"],
  ["function id<T>(x: T): T { return x }\nreturn id<string>('x');", "x"],
  ["class A { private readonly x: number = 3; get y(): number { return this.x } }\nreturn new A().y;", 3],
  ["const o = { a: 1 } satisfies Record<string, number>; return o.a;", 1],
  ["let v!: number; v = 4; return v;", 4],
  [
    "abstract class B { abstract f(): number; g() { return this.f() } }\nclass D extends B { override f() { return 5 } }\nreturn new D().g();",
    5,
  ],
  ["function f(this: void, a?: number, ...rest: string[]): asserts a { }\nreturn f.length;", 1],
  ["const f = async <T,>(x: T): Promise<T> => x; return await f(6);", 6],
  ["const f = (\n  x: number,\n): number =>\n  x;\nreturn f(7);", 7],
  [
    "function over(a: string): string;\nfunction over(a: number): number;\nfunction over(a: any) { return a }\nreturn over(8);",
    8,
  ],
  ["using r = { [Symbol.dispose]() {} }; return 9;", 9],
  ["label: for (const x of [1, 2] as const) { if (x === 1) continue label; return x; }", 2],
])(verifies("check:types-erased", "%j runs as it reads"), async (script, value) => {
  const { code, diagnostics } = await compile(script);
  expect(diagnostics).toEqual([]);
  expect(await run(code, { Symbol, Promise })).toBe(value);
});

test.each([
  ["let a = 1\ntype X = string\n;[1].map(x => x)\nreturn a", 1],
  ["let a = 1\ntype X = string;\n[1].map(x => x)\nreturn a", 1],
  ["let a = 1\ninterface X {}\n(() => {})()\nreturn a", 1],
  ["let a: any = 2\nconst b = a as any\n;[1].map(x => x)\nreturn b", 2],
  ["let a = 3\nlet b = a as number\n`x`.length\nreturn b", 3],
])(verifies("check:types-erased", "no statement is joined to the next: %j"), async (script, value) => {
  const { code } = await compile(script, "off");
  expect(await run(code)).toBe(value);
});

test(verifies("check:types-erased", "every token stays in its line and column"), async () => {
  const script =
    "const a: Record<string, number> = { x: 1 };\n  const b = (a as any).x as number; return [a, b] as const;";
  const body = bodyOf((await compile(script)).code);
  expect(body).toHaveLength(script.length);
  for (const word of ["= { x", "const b", ").x", "return", "[a, b]"])
    expect(body.indexOf(word)).toBe(script.indexOf(word));
});

test.each([
  ["const a = 1, b = 2, c = 3; return a ?? b as any || c;", "SCRIPT_UNSUPPORTED_SYNTAX"],
  ["const a = 1; return 1 + a as any * 2;", "SCRIPT_UNSUPPORTED_SYNTAX"],
])(
  verifies("check:types-erased", "an assertion whose erasure would regroup is refused: %j"),
  async (script, code) => {
    const result = await compile(script, "off");
    expect(result.code).toBeUndefined();
    expect(result.diagnostics).toMatchObject([{ code }]);
  },
);

test(
  verifies("check:statements", "await and return work at the top level, and nothing returns undefined"),
  async () => {
    expect(
      await run(
        (await compile("const x = await Promise.resolve(1);\nif (x) return 'yes';\nreturn 'no';")).code,
      ),
    ).toBe("yes");
    expect(await run((await compile("1;")).code)).toBeUndefined();
  },
);

test(verifies("check:statements", "a script is strict code"), async () => {
  expect(
    await run((await compile("return (function (this: any) { return this })() === undefined;")).code),
  ).toBe(true);
});

test.each(["// only a comment", "/* a */", "1 // end", "return 1 /* end */", "'use strict'; return 1;"])(
  verifies("check:statements", "a comment at the end does not swallow the wrapper: %j"),
  async (script) => {
    const { code } = await compile(script);
    expect(bodyOf(code)).toBe(script);
    await run(code);
  },
);

const expression = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: "grapheme" }).map((text) => `\`${text.replace(/[\\`$]/g, "\\$&").replace(/\r/g, "")}\``),
  fc.nat().map(String),
  fc.constantFrom(
    "/[<>:]/g.source",
    "a < b",
    "a > b ? a : b",
    "a<b>(c)",
    "x => ({ y: x })",
    "[...'as any']",
    "a, b",
  ),
  fc.constantFrom(
    "{ as: 1, type: 2, is: 3 }",
    "async (x) => { await x }",
    "class { static #p = 1; get = 2 }",
    "a?.b ?? c",
  ),
);
const statement = fc
  .tuple(fc.constantFrom(";\n", "\n;", "; ", ";\n\n\t"), expression)
  .chain(([end, text]) =>
    fc.constantFrom(
      `(${text})${end}`,
      `var type = (${text})${end}`,
      `if (as) { (${text}) } else { type: for (;;) break type }${end}`,
      `// : string as any <T>\n(${text})${end}`,
      `var { a, b: c = (${text}) } = {}${end}`,
      `function declare(a = (${text}), ...b) { return a }${end}`,
    ),
  );

test(verifies("check:no-types-no-change", "a script without types keeps its text byte for byte"), () => {
  const pipeline = new Pipeline();
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 6 }), (statements) => {
      const script = `var a, b, c, as, x;\n${statements.join("")}`;
      const { code, diagnostics } = pipeline.compile(script, "off");
      // `a<b>(c)` is a call with type arguments to TypeScript, and is the one thing here that has types.
      if (script.includes("a<b>(c)")) return;
      expect(diagnostics).toEqual([]);
      expect(bodyOf(code)).toBe(script);
    }),
    { numRuns: 300 },
  );
});
