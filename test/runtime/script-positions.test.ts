// Shows the way from a stack of the engine back to the script as written.
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { WRAPPER } from "../../contract/compile.ts";
import { normaliseScript } from "../../runtime/script/normalise.ts";
import { scriptFrames, SCRIPT_FILE, sourceLine } from "../../runtime/script/positions.ts";
import { verifies } from "../requirements.ts";

/** The stack of what the script throws, as the engine tells it. */
async function stackOf(
  written: string,
): Promise<{ stack: string; script: ReturnType<typeof normaliseScript> }> {
  const script = normaliseScript(written);
  const code = WRAPPER.runnable.before + script.text + WRAPPER.runnable.after;
  const main = new Script(code, { filename: SCRIPT_FILE }).runInNewContext() as () => Promise<unknown>;
  try {
    await main();
  } catch (error) {
    return { stack: String((error as Error).stack), script };
  }
  throw new Error("the script threw nothing");
}

test.each([
  ["throw new Error('x');", 1, 7],
  ["const a = 1;\n  throw new Error('x');", 2, 9],
  ["\uFEFF```ts\r\nconst a = 1;\r\nthrow new Error('x');\r\n```", 3, 7],
  ["#!/usr/bin/env node\nthrow new Error('x');", 2, 7],
  ["const s = '\u2028\u2029'; throw new Error(s);", 1, 23],
  ["const s = `\u2028`;\nnull.x;", 2, 6],
])(
  verifies("script:frames", "the first frame is where the script threw: %j"),
  async (written, line, column) => {
    const { stack, script } = await stackOf(written);
    expect(scriptFrames(stack, script)[0]).toMatchObject({ line, column });
  },
);

test(verifies("script:frames", "functions are named, and frames of the host are left out"), async () => {
  const { stack, script } = await stackOf(
    "function outer() { inner(); }\nfunction inner() { throw new Error('x'); }\nouter();",
  );
  expect(scriptFrames(stack, script)).toEqual([
    { line: 2, column: 26, functionName: "inner" },
    { line: 1, column: 20, functionName: "outer" },
    { line: 3, column: 1 },
  ]);
});

test(verifies("script:frames", "an async frame keeps the function's own name"), async () => {
  const { stack, script } = await stackOf(
    "async function load() { await null; throw new Error('x'); }\nawait load();",
  );
  expect(scriptFrames(stack, script).map((frame) => frame.functionName)).toEqual(["load", undefined]);
});

test(verifies("script:frames", "the bracketed form of a compile error is read too"), () => {
  expect(
    scriptFrames("SyntaxError: Unexpected token [script.ts:3:5]", { text: "a\nbcdefgh", lineOffset: 2 }),
  ).toEqual([{ line: 4, column: 5 }]);
});

test.each([
  "Error: x\n    at script.ts:1:1",
  "Error: x\n    at script.ts:999:1",
  "Error: x\n    at f (/etc/script.ts:2:1)",
  "Error: x\n    at eval (eval at f (script.ts:2:1), <anonymous>:1:1)",
  "Error: x\n    at f (callgate:2:1)",
  "",
])(verifies("script:frames", "a place outside the script is no frame: %j"), (stack) => {
  expect(scriptFrames(stack, { text: "one line", lineOffset: 0 })).toEqual([]);
});

test(
  verifies("script:bounded", "a stack of any size gives at most twenty frames with short printable names"),
  () => {
    const row = `    at ${"\u001B[2J\u202E"}${"n".repeat(200)} (script.ts:2:1)`;
    const frames = scriptFrames(`Error\n${`${row}\n`.repeat(100_000)}`, { text: "x", lineOffset: 0 });
    expect(frames).toHaveLength(20);
    for (const { functionName = "" } of frames) expect(functionName).toMatch(/^\[2Jn{1,77}$/);
  },
);

test(verifies("script:bounded", "rows made to be slow to match are passed over"), () => {
  const stack = `Error\n${`    at ${" (".repeat(400)}\n`.repeat(400)}`;
  expect(scriptFrames(stack, { text: "x", lineOffset: 0 })).toEqual([]);
});

test.each([
  ["a\nb\nc", 2, "b"],
  ["a\r\nb\r\nc", 2, "b"],
  ["a", 2, ""],
  ["a\u001B[31m\u202E\tb", 1, "a [31m \tb"],
  ["x".repeat(500), 1, `${"x".repeat(200)}…`],
])(verifies("script:bounded", "a source line is bounded and printable: %j line %i"), (script, line, text) => {
  expect(sourceLine(script, line)).toBe(text);
});
