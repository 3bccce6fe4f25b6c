// Shows what becomes of scripts that define a function where statements were asked for.
import { expect, test } from "vitest";
import { WRAPPER } from "../../contract/compile.ts";
import { verifies } from "../requirements.ts";
import { run, useCompiler } from "./check-support.ts";

const { compile, one } = useCompiler();

test.each([
  "export default async function main() { return 1; }",
  "export default async function () { return 1; }",
  "export default function main(): number { return 1; }",
  "export default async () => { return 1; };",
  "export default async () => 1",
  "export  default (async () => 1);",
  "type A = 1;\nconst one: A = 1;\nexport default async function main() { return help(); }\nfunction help() { return one; }",
  "async () => { return 1; }",
  "async () => { return 1; };",
  "(async () => 1)",
  "() => 1",
  "// run\nasync function () { return 1; }".replace("function ()", "function main()"),
  "async function main() { return 1; }",
  "interface A { x: number }\nasync function run(options: A = { x: 1 }): Promise<number> { return options.x; }",
  "const main = async (): Promise<number> => 1;",
  "const main = async function () { return 1 }",
])(
  verifies("check:habits", "the one function of %j is called, and its result is the script's"),
  async (script) => {
    for (const mode of ["error", "off"] as const) {
      const { code, diagnostics } = await compile(script, mode);
      expect(diagnostics).toMatchObject([{ severity: "warning", code: "FUNCTION_CALLED" }]);
      expect(await run(code)).toBe(1);
    }
  },
);

test(
  verifies("check:habits", "columns of an exported function stay, and its errors are told where they are"),
  async () => {
    const script = "export default async function main() {\n  const x: number = 'a';\n  return x;\n}";
    const { diagnostics } = await compile(script);
    expect(diagnostics).toMatchObject([
      { code: "FUNCTION_CALLED", line: 1, column: 1 },
      { code: "SCRIPT_TYPE", line: 2, column: 9, source: "  const x: number = 'a';" },
    ]);
    const { code = "" } = await compile(script, "off");
    expect(code.split("\n")[1]?.indexOf("async function")).toBe(script.indexOf("async function"));
  },
);

test.each([
  "async function main() { await null; done(1); }\nmain();",
  "async function main() { await null; done(1); }\n\n// run it\nmain().catch(console.error);",
  "main(); // run it\nasync function main() { await null; done(1); }",
  "const main = async () => { await null; done(1); }; // c\nmain().then(() => {}).finally(() => {});",
  "(async () => { await null; done(1); })();",
  "(async function () { await null; done(1); }())",
  "const n: number = 1\ntype A = 1\n;(async () => { await null; done(n as A); })()",
  "let s = `\n`;\n\n/* a */ (async () => { await null; done(s.length); })()",
])(verifies("check:habits", "the end of %j is waited for"), async (script) => {
  for (const mode of ["warn", "off"] as const) {
    const { code } = await compile(script, mode);
    const done: unknown[] = [];
    await run(code, { done: (value: unknown) => done.push(value), console });
    expect(done).toEqual([1]);
  }
});

test(
  verifies(
    ["check:habits", "check:unawaited"],
    "a last call that is waited for is no warning, and moves no column",
  ),
  async () => {
    const script = 'async function main() {\n  await files.read_file({ path: "a" });\n}\n  main();\n';
    const { code = "", diagnostics } = await compile(script);
    expect(diagnostics).toEqual([]);
    expect(code.split("\n")[4]).toBe("  main();");
  },
);

test.each([
  "async function main() { await null; done(1); }\nmain(); return;",
  "function main() { return Promise.resolve().then(() => done(1)); }\nmain();",
  "async function main() { await null; done(1); }\nvoid main();",
  "async function main() { await null; done(1); } main();",
])(verifies("check:habits", "%j ends when it says so"), async (script) => {
  const { code } = await compile(script, "off");
  expect(code).toBe(WRAPPER.runnable.before + script + WRAPPER.runnable.after);
});

test.each([
  "async function main() { return 1; }\nawait main();",
  "async function a() {}\nasync function b() {}",
  "function main() { return 1; }",
  "async function main(x: number) { return x; }",
  "async function* main() { yield 1; }",
  "(async () => 1)();",
  "const x = async () => 1, y = 2;",
  "const f = () => 1;",
])(verifies("check:habits", "%j is run as it is"), async (script) => {
  const { code, diagnostics } = await compile(script);
  expect(diagnostics).toEqual([]);
  expect(await run(code)).toBeUndefined();
});

test.each([
  "export default async function main(x: number) { return x; }",
  "export default async function main() {}\nawait main();",
  "export default class {}",
  "export default async function a() {}\nconst x = 1;",
  "export\ndefault async () => 1;",
])(verifies("check:habits", "%j is ambiguous, and refused"), async (script) => {
  expect(await one(script)).toMatchObject({ code: "SCRIPT_UNSUPPORTED_SYNTAX", severity: "error" });
});
