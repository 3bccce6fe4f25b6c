// What the tests of the checker share: one small catalog, and a compiler per file.
import { Script } from "node:vm";
import { afterAll, beforeAll } from "vitest";
import type { CheckMode, CompileResult } from "../../contract/compile.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import type { CatalogInput } from "../../stubs/check/catalog-index.ts";
import { type Compiler, createCompiler } from "../../stubs/check/compiler.ts";

export const never: AbortSignal = new AbortController().signal;

const SIGNATURES: readonly (readonly [string, string, string])[] = [
  [
    "github",
    "list_issues",
    '(input: { owner: string; repo: string; state?: "open" | "closed"; labels?: string[] }): Promise<any>',
  ],
  [
    "github",
    "get_issue",
    "(input: { owner: string; repo: string; number: number }): Promise<{ title: string; body?: string }>",
  ],
  [
    "github",
    "create_issue",
    "(input: { title: string; meta: { kind: string; level?: number } }): Promise<any>",
  ],
  ["files", "read_file", "(input: { path: string }): Promise<any>"],
  ["files", "list_directory", "(input: { path: string }): Promise<string[]>"],
];

/** A catalog of two servers; `hash` tells two of them apart. */
export function catalogOf(hash: string, signatures: typeof SIGNATURES = SIGNATURES): CatalogInput {
  const spaces = new Map<string, string[]>();
  for (const [namespace, identifier, type] of signatures) {
    spaces.set(namespace, [...(spaces.get(namespace) ?? []), `function ${identifier}${type};`]);
  }
  return {
    hash,
    declarations: [...spaces]
      .map(([name, members]) => `declare namespace ${name} {\n${members.join("\n")}\n}`)
      .join("\n"),
    tools: signatures.map(([namespace, identifier, type]) => ({
      namespace,
      identifier,
      signature: `${namespace}.${identifier}${type}`,
    })),
  };
}

export interface Checking {
  readonly compile: (script: string, check?: CheckMode) => Promise<CompileResult>;
  /** The diagnostics as `severity CODE line:column`. */
  readonly places: (script: string, check?: CheckMode) => Promise<readonly string[]>;
  /** The only diagnostic; fails when there is not exactly one. */
  readonly one: (script: string, check?: CheckMode) => Promise<Diagnostic>;
}

/** One compiler for the tests of a file, on the catalog above. */
export function useCompiler(): Checking {
  let compiler: Compiler;
  beforeAll(async () => {
    compiler = createCompiler({ timeoutMs: 30_000 });
    compiler.setCatalog(catalogOf("fixture"));
    await compiler.warm();
  });
  afterAll(() => compiler[Symbol.asyncDispose]());
  const compile: Checking["compile"] = (script, check = "error") =>
    compiler.compile({ script, check }, { signal: never });
  return {
    compile,
    places: async (script, check) => (await compile(script, check)).diagnostics.map(placeOf),
    one: async (script, check) => {
      const { diagnostics } = await compile(script, check);
      const [only] = diagnostics;
      if (only === undefined || diagnostics.length !== 1) {
        throw new Error(`expected one diagnostic, got ${JSON.stringify(diagnostics, null, 1)}`);
      }
      return only;
    },
  };
}

export function placeOf(diagnostic: Diagnostic): string {
  const { severity, code, line, column } = diagnostic;
  return `${severity} ${code} ${line}:${column}`;
}

/** Runs compiled code in a context of its own with `globals`, and gives what the script returned. */
export async function run(code: string | undefined, globals: Record<string, unknown> = {}): Promise<unknown> {
  if (code === undefined) throw new Error("the script did not compile");
  const main = new Script(code).runInNewContext(globals) as () => Promise<unknown>;
  return await main();
}
