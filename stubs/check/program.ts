// Owns TypeScript's view of a script: the options, the virtual files, and the programs made of them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";
import { WRAPPER } from "../../contract/compile.ts";
import { AMBIENT } from "./ambient.ts";

const SCRIPT = "/script.ts";
const AMBIENT_FILE = "/ambient.d.ts";
export const CATALOG_FILE = "/catalog.d.ts";
const LIB_FOLDER = "/lib";

const SYNTAX_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  noLib: true,
  noResolve: true,
  types: [],
};

// The built-ins of V8 13.6, which Node 24 carries.
const OPTIONS: ts.CompilerOptions = {
  ...SYNTAX_OPTIONS,
  noLib: false,
  lib: ["lib.es2025.d.ts", "lib.esnext.array.d.ts", "lib.esnext.disposable.d.ts", "lib.esnext.error.d.ts"],
  strict: true,
  noImplicitAny: true,
  useUnknownInCatchVariables: false,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
};

// The sandbox removes these from V8's own set, so the types must not promise them.
const WITHOUT: ReadonlySet<string> = new Set([
  "lib.es2017.sharedmemory.d.ts",
  "lib.es2024.sharedmemory.d.ts",
  "lib.es2021.weakref.d.ts",
]);

/** A script in its wrapper, parsed once for checking and for stripping. */
export interface ParsedScript {
  readonly script: string;
  readonly source: ts.SourceFile;
  readonly syntaxErrors: readonly ts.DiagnosticWithLocation[];
}

/** A parsed script with everything it may name. */
export interface CheckedScript {
  readonly checker: ts.TypeChecker;
  readonly errors: readonly ts.Diagnostic[];
}

/** Offset in the script of an offset in the wrapped text. */
export function scriptOffset(wrapped: number): number {
  return wrapped - WRAPPER.checked.before.length;
}

/** Parses a script inside the checked wrapper; the two share positions with `scriptOffset` between them. */
export function parseScript(script: string, as: "ts" | "tsx" = "ts"): ParsedScript {
  const name = as === "ts" ? SCRIPT : `${SCRIPT}x`;
  const text = WRAPPER.checked.before + script + WRAPPER.checked.after;
  const program = ts.createProgram({
    rootNames: [name],
    options: as === "ts" ? SYNTAX_OPTIONS : { ...SYNTAX_OPTIONS, jsx: ts.JsxEmit.Preserve },
    host: hostOf((file, options) =>
      file === name ? ts.createSourceFile(file, text, options, true) : undefined,
    ),
  });
  const source = program.getSourceFile(name);
  if (source === undefined) throw new Error("the script's own source file is missing");
  return { script, source, syntaxErrors: program.getSyntacticDiagnostics(source) };
}

/** Checks scripts against one catalog after another; libraries and catalog are parsed once. */
export class ScriptChecker {
  readonly #files: Map<string, ts.SourceFile> = new Map();
  readonly #libFolder: string = dirname(createRequire(import.meta.url).resolve("typescript"));
  #declarations = "";
  #previous: ts.Program | undefined;

  setDeclarations(declarations: string): void {
    if (declarations === this.#declarations) return;
    this.#declarations = declarations;
    this.#files.delete(CATALOG_FILE);
    this.#previous = undefined;
  }

  check(parsed: ParsedScript): CheckedScript {
    const program = ts.createProgram({
      rootNames: [SCRIPT, AMBIENT_FILE, CATALOG_FILE],
      options: OPTIONS,
      host: hostOf((file, options) => (file === SCRIPT ? parsed.source : this.#file(file, options))),
      ...(this.#previous === undefined ? {} : { oldProgram: this.#previous }),
    });
    this.#previous = program;
    return { checker: program.getTypeChecker(), errors: program.getSemanticDiagnostics(parsed.source) };
  }

  #file(name: string, options: ts.CreateSourceFileOptions | ts.ScriptTarget): ts.SourceFile | undefined {
    let file = this.#files.get(name);
    if (file === undefined) {
      const text = this.#text(name);
      if (text === undefined) return undefined;
      file = ts.createSourceFile(name, text, options);
      this.#files.set(name, file);
    }
    return file;
  }

  // Security: no name outside this closed set is ever read from disk, whatever a script or a schema refers to.
  #text(name: string): string | undefined {
    if (name === AMBIENT_FILE) return AMBIENT;
    if (name === CATALOG_FILE) return this.#declarations;
    const lib = /^\/lib\/(lib\.[a-z0-9.]+\.d\.ts)$/.exec(name)?.[1];
    if (lib === undefined) return undefined;
    return WITHOUT.has(lib) ? "" : readFileSync(join(this.#libFolder, lib), "utf8");
  }
}

type FileSource = (
  name: string,
  options: ts.CreateSourceFileOptions | ts.ScriptTarget,
) => ts.SourceFile | undefined;

function hostOf(getSourceFile: FileSource): ts.CompilerHost {
  return {
    getSourceFile,
    getDefaultLibFileName: () => `${LIB_FOLDER}/lib.d.ts`,
    getDefaultLibLocation: () => LIB_FOLDER,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: () => false,
    readFile: () => undefined,
    directoryExists: () => false,
    getDirectories: () => [],
    writeFile: () => undefined,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
}
