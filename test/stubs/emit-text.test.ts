// Texts of servers: whatever they hold, they stay where they belong.
import fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { commentText, firstSentence, propertyKey, quote } from "../../stubs/emit-text.ts";
import { emitDeclarations, emitTool } from "../../stubs/emit.ts";
import { verifies } from "../requirements.ts";
import { named } from "./emit-data.ts";
import { declarationsOf, errorsByLine } from "./emit-program.ts";

const HOSTILE = [
  "*/ declare const pwned: 1; /*",
  "**/",
  "*\u200b/ evil() /\u200b*",
  "*\\/",
  "`${process.exit()}`",
  "$& $1 $` $'",
  "\u2028declare const pwned: 1;\u2029",
  "\r\ndeclare const pwned: 1;\n",
  "\u202edaer sa\u202c \u2066x\u2069 \u061c",
  "\u0000\u0007\u001b[31mred\u009b",
  "@ts-expect-error",
  "@ts-ignore",
  "/ <reference path='x' />",
  "// @ts-nocheck",
  "<script>alert(1)</script>",
  '"; evil(); "',
  "\\",
  "\ud800 lone \udc00",
  "\u{e0041}\u{e0042} tags",
  "__proto__",
  "constructor",
  "a".repeat(13_000),
  "word ".repeat(2_600),
  "",
];

/** One text in every place where a server can put one. */
function everywhere(text: string): ToolDefinition {
  const described = {
    type: "string",
    description: text,
    title: text,
    default: text,
    pattern: text,
    format: text,
  };
  const schema = JSON.parse(
    JSON.stringify({
      type: "object",
      title: text,
      description: text,
      properties: {
        p: described,
        e: { enum: [text, "x"] },
        c: { const: text },
        r: { $ref: text },
        d: { $ref: "#/$defs/D" },
      },
      $defs: { D: { type: "object", description: text, properties: { d: { $ref: "#/$defs/D" } } } },
      tsType: text,
      "x-note": text,
    }),
  ) as JsonObject;
  const properties = schema["properties"] as JsonObject;
  Object.defineProperty(properties, text, {
    value: described,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return {
    server: text,
    name: text,
    title: text,
    description: text,
    inputSchema: schema,
    outputSchema: schema,
  };
}

/** Nothing but the namespace, its functions, namespaces and types; every name of a type is its own. */
function expectContained(tool: ToolDefinition): void {
  const tools = named([tool]);
  for (const docs of ["none", "summary", "full"] as const) {
    const { text } = emitDeclarations(tools, { docs });
    expect(declarationsOf(text)).toEqual([`ModuleDeclaration ${tools[0]?.namespace}`]);
    const file = ts.createSourceFile("/s.ts", text, ts.ScriptTarget.ES2023, true);
    const body = (file.statements[0] as ts.ModuleDeclaration).body as ts.ModuleBlock;
    const kinds = body.statements.map((statement) => ts.SyntaxKind[statement.kind]);
    expect(kinds).toEqual(["FunctionDeclaration", "ModuleDeclaration"]);
    // What a reader sees is what is there: no control, no invisible, no reordering character.
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    // Internal to TypeScript, and the only way to ask: comments it takes for directives.
    expect((file as ts.SourceFile & { commentDirectives?: unknown }).commentDirectives).toBeUndefined();
  }
}

test.for(HOSTILE.map((text) => [JSON.stringify(text.slice(0, 40)), text] as const))(
  verifies("stubs:text-safety", "%s stays in its place"),
  ([, text]) => {
    expectContained(everywhere(text));
  },
);

test(verifies("stubs:text-safety", "hostile texts compile, all together"), () => {
  for (const docs of ["none", "full"] as const) {
    const { text } = emitDeclarations(named(HOSTILE.map(everywhere)), { docs });
    expect([...errorsByLine(text)]).toEqual([]);
  }
});

test(verifies("stubs:text-safety", "any text whatever stays in its place"), () => {
  const pieces = fc.constantFrom(
    "*/",
    "/*",
    "\n",
    "\u2028",
    "`",
    "${",
    '"',
    "\\",
    "@ts-ignore",
    "\u202e",
    "x",
    " ",
    "//",
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (each) => {
      expectContained(everywhere(each));
    }),
    { numRuns: 150 },
  );
});

test(verifies("stubs:text-safety", "a listing by name is one line, whatever its description holds"), () => {
  for (const text of HOSTILE) {
    const line = emitTool(named([everywhere(text)])[0]!, { detail: "name" }).text;
    expect(line).toMatch(/^[\w.]+( \/\/ [^\n\r\u2028\u2029]+)?$/);
    expect(line).not.toContain("@ts-");
  }
});

test(verifies("stubs:text-safety", "quoting a text keeps its value"), () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const expression = ts.createSourceFile("/q.ts", `(${quote(text)})`, ts.ScriptTarget.ES2023, true)
        .statements[0];
      const inner = ((expression as ts.ExpressionStatement).expression as ts.ParenthesizedExpression)
        .expression;
      expect((inner as ts.StringLiteral).text).toBe(
        text.toWellFormed() === text ? text : (inner as ts.StringLiteral).text,
      );
      expect(quote(text)).not.toContain("*/");
    }),
  );
});

test(verifies("stubs:text-safety", "only names that are identifiers stand without quotes"), () => {
  expect(["a", "$b", "_c1", "class", "__proto__"].map(propertyKey)).toEqual([
    "a",
    "$b",
    "_c1",
    "class",
    "__proto__",
  ]);
  expect(["", "1a", "a-b", "ä", "a b", "a\u200bb"].map(propertyKey)).toEqual([
    ...['""', '"1a"', '"a-b"', '"ä"', '"a b"', '"a\\u200bb"'],
  ]);
});

test(verifies("stubs:bounded", "comments are cut, never inside a character"), () => {
  expect(commentText("x".repeat(13_000), 1_000).length).toBeLessThanOrEqual(1_000);
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", minLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (text, length) => {
        expect(commentText(text, length).isWellFormed()).toBe(true);
      },
    ),
  );
});

test.for([
  ["One. Two.", "One."],
  ["Use e.g. a name. Then more.", "Use e.g. a name."],
  ["See https://example.com/a.b for more. Later.", "See https://example.com/a.b for more."],
  ["Lists things\n\nMore of it", "Lists things"],
  ["Lists things:\n- one\n- two", "Lists things:"],
  ["Wrapped text that goes on\nto the next line. End.", "Wrapped text that goes on to the next line."],
  ["Gets a page\nArgs: none", "Gets a page"],
  ["J. Smith wrote it. Yes.", "J. Smith wrote it."],
  ["  ", ""],
  ["一つ目。二つ目。", "一つ目。"],
])(verifies("stubs:detail", "the first sentence of %j is %j"), ([text, sentence]) => {
  expect(firstSentence(text as string, 200)).toBe(sentence);
});
