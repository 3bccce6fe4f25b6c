// The programs of docs/adapters.md, type-checked as a reader would have them: strict, against the package's own exports.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { verifies } from "../requirements.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(join(root, "docs/adapters.md"), "utf8");
const blocks = [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, block = ""]) => block);

/** What a block takes from those before it, and what its reader brings. */
const GIVEN: Readonly<Record<string, string>> = {
  gate: 'declare const gate: import("callgate").Gate;',
  approve: 'declare const approve: import("callgate").Approve;',
  signal: "declare const signal: AbortSignal;",
  client: 'declare const client: import("@anthropic-ai/sdk").default;',
  messages: 'declare const messages: import("@anthropic-ai/sdk").default.MessageParam[];',
};

function program(block: string): string {
  const own = (name: string): boolean =>
    new RegExp(`\\b(?:const|using)\\s+(?:\\{[^}]*)?\\b${name}\\b`).test(block);
  const given = Object.entries(GIVEN).filter(([name]) => !own(name));
  return [block, ...given.map(([, declaration]) => declaration), "export {};"].join("\n");
}

test(
  verifies("adapters:docs", "every program of docs/adapters.md type-checks"),
  () => {
    const files = new Map(blocks.map((block, at) => [join(root, `docs-adapters-${at}.ts`), program(block)]));
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) =>
      readFileSync(path, "utf8"),
    ) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    host.fileExists = (path) => files.has(path) || fileExists(path);
    host.readFile = (path) => files.get(path) ?? readFile(path);
    const checked = ts.createProgram(
      [...files.keys()],
      { ...options, isolatedDeclarations: false, declaration: false },
      host,
    );
    const problems = [...files.keys()].flatMap((path) => {
      const source = checked.getSourceFile(path);
      return [...checked.getSyntacticDiagnostics(source), ...checked.getSemanticDiagnostics(source)];
    });
    const told = problems.map(({ file, messageText }) => {
      return `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(told).toEqual([]);
    expect(blocks).toHaveLength(8);
  },
  240_000,
);
