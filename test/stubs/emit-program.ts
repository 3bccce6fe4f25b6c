// Owns one TypeScript program per question: stubs in front, many short lines behind, errors by line.
import ts from "typescript";
import type { JsonValue } from "../../contract/json.ts";

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  types: [],
  noResolve: true,
  moduleDetection: ts.ModuleDetectionKind.Force,
  useUnknownInCatchVariables: false,
  noImplicitAny: false,
};

const libraries = new Map<string, ts.SourceFile | undefined>();

/** Errors of a text by line number from 0. */
export function errorsByLine(text: string): ReadonlyMap<number, readonly string[]> {
  const name = "/stubs.ts";
  const real = ts.createCompilerHost(OPTIONS);
  const host: ts.CompilerHost = {
    ...real,
    getSourceFile(path, settings) {
      if (path === name) return ts.createSourceFile(path, text, settings, true);
      if (!libraries.has(path)) libraries.set(path, real.getSourceFile(path, settings));
      return libraries.get(path);
    },
    fileExists: (path) => path === name || real.fileExists(path),
    readFile: (path) => (path === name ? text : real.readFile(path)),
    writeFile: () => undefined,
  };
  const program = ts.createProgram([name], OPTIONS, host);
  const file = program.getSourceFile(name) as ts.SourceFile;
  const found = new Map<number, string[]>();
  for (const diagnostic of [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]) {
    const line =
      diagnostic.file === file ? file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line : -1;
    const message = `TS${diagnostic.code} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`;
    found.set(line, [...(found.get(line) ?? []), message.slice(0, 300)]);
  }
  return found;
}

/** Errors of each snippet after `head`; snippets are one line each. `head` itself must be free of errors. */
export function errorsBySnippet(head: string, snippets: readonly string[]): readonly (readonly string[])[] {
  const offset = head.split("\n").length;
  const errors = errorsByLine(`${head}\n${snippets.join("\n")}\n`);
  const early = [...errors].filter(([line]) => line < offset);
  if (early.length > 0) throw new Error(`the stubs do not compile: ${JSON.stringify(early.slice(0, 5))}`);
  return snippets.map((_snippet, index) => errors.get(index + offset) ?? []);
}

/** A JSON value as a TypeScript expression; a key `__proto__` stays a key. */
export function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((member) => literal(member as JsonValue)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return text(value);
  const members = Object.entries(value).map(
    ([key, member]) =>
      `${key === "__proto__" ? '["__proto__"]' : text(key)}: ${literal(member as JsonValue)}`,
  );
  return `{ ${members.join(", ")} }`;
}

function text(value: JsonValue): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** What a parsed text declares at its top: kinds and names. */
export function declarationsOf(source: string): readonly string[] {
  const file = ts.createSourceFile("/stubs.ts", source, ts.ScriptTarget.ES2023, true);
  return file.statements.map((statement) => {
    const name = (statement as ts.Statement & { readonly name?: ts.Identifier }).name?.text ?? "";
    return `${ts.SyntaxKind[statement.kind]} ${name}`.trim();
  });
}
