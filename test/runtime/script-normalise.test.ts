// Shows what is taken off a script, and what is left alone.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CallgateError } from "../../contract/error.ts";
import { normaliseScript } from "../../runtime/script/normalise.ts";
import { verifies } from "../requirements.ts";

function refusal(script: string): CallgateError {
  try {
    normaliseScript(script);
  } catch (error) {
    if (CallgateError.is(error)) return error;
  }
  throw new Error("the script was not refused");
}

test.each(["", " ", "\n\n", "\uFEFF", "\r\n\t", "```ts\n```", "#!/usr/bin/env node"])(
  verifies("script:empty", "nothing to run is refused: %j"),
  (script) => {
    const { code, message } = refusal(script);
    expect(code).toBe("SCRIPT_SYNTAX");
    expect(message).toContain("empty");
  },
);

test(verifies("script:normalise", "a byte order mark goes"), () => {
  expect(normaliseScript("\uFEFFreturn 1;")).toEqual({
    text: "return 1;",
    lineOffset: 0,
    notes: ["byte order mark removed"],
  });
});

test.each([
  ["a\r\nb\r\n", "a\nb\n"],
  ["a\rb", "a\nb"],
  ["a\r\r\nb", "a\n\nb"],
])(verifies("script:normalise", "line ends become LF: %j"), (script, text) => {
  expect(normaliseScript(script).text).toBe(text);
});

test(verifies("script:normalise", "a shebang goes and its line stays"), () => {
  expect(normaliseScript("#!/usr/bin/env -S npx callgate\nreturn 1;")).toMatchObject({
    text: "\nreturn 1;",
    lineOffset: 0,
  });
});

test.each([
  ["```ts\nreturn 1;\n```", "return 1;", 1],
  ["```typescript\nreturn 1;\n```\n\n", "return 1;", 1],
  ["\n\n```\nreturn 1;\n```", "return 1;", 3],
  ["~~~js\nreturn 1;\n~~~", "return 1;", 1],
  ["````ts\nconst a = `\n```\n`;\n````", "const a = `\n```\n`;", 1],
  ["```ts\r\nreturn 1;\r\n```\r\n", "return 1;", 1],
  ["\uFEFF```ts\nreturn 1;\n```", "return 1;", 1],
  ["  ```ts\n  return 1;\n  ```", "  return 1;", 1],
  ["```ts\nreturn 1;", "return 1;", 1],
  ["```ts\n#!/usr/bin/env node\nreturn 1;\n```", "\nreturn 1;", 1],
])(
  verifies("script:normalise", "an enclosing fence goes and its lines are counted: %j"),
  (script, text, lineOffset) => {
    expect(normaliseScript(script)).toMatchObject({ text, lineOffset });
  },
);

test(verifies("script:normalise", "text after the closing fence is named by its line"), () => {
  const { code, message, data } = refusal("```ts\nreturn 1;\n```\n\nThis script returns 1.");
  expect(code).toBe("SCRIPT_SYNTAX");
  expect(message).toContain("Line 5");
  expect(data).toMatchObject({ line: 5 });
});

test.each([
  "return 1;",
  "const fence = `\n```ts\ncode\n```\n`;\nreturn fence;",
  "`template`.length",
  "``",
  "const s = '#!not a shebang';",
  "// ```\nreturn 1;\n// ```",
])(verifies("script:ambiguous", "a script of its own is not touched: %j"), (script) => {
  expect(normaliseScript(script)).toEqual({ text: script, lineOffset: 0, notes: [] });
});

test(verifies("script:normalise", "every line of the result is the line of the script it came from"), () => {
  const line = fc.stringMatching(/^[a-z =;0-9]{1,12}$/).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.constantFrom("", "```ts", "```", "~~~js"),
      (lines, end, mark, fence) => {
        const written = [
          ...(fence === "" ? [] : [fence]),
          ...lines,
          ...(fence === "" ? [] : [fence.slice(0, 3)]),
        ];
        const result = normaliseScript((mark ? "\uFEFF" : "") + written.join(end));
        result.text.split("\n").forEach((text, index) => {
          expect(written[index + result.lineOffset]).toBe(text);
        });
        expect(normaliseScript(result.text)).toMatchObject({ text: result.text, lineOffset: 0 });
      },
    ),
  );
});

test(verifies("script:normalise", "five megabytes are normalised like five bytes"), () => {
  const script = `\`\`\`ts\r\n${"const x = 1;\r\n".repeat(400_000)}\`\`\``;
  expect(normaliseScript(script).text.length).toBe(13 * 400_000 - 1);
});
