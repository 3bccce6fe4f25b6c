// Reads the repository for the architecture test: its files, what each imports, and which room it is in.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  readonly from: string;
  /** A file of the repository (`broker/dispatch.ts`), a package (`zod`) or a builtin (`node:fs`). */
  readonly target: string;
  readonly local: boolean;
  readonly typeOnly: boolean;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Members of `process` that the code reads. */
  readonly processReads: readonly string[];
}

export const ROOMS = ["contract", "stubs", "runtime", "broker", "server", "cli", "adapters"] as const;

/** The zone of a file: a room, `runtime/worker`, `runtime/guest`, or the file itself at the top. */
export function roomOf(path: string): string {
  return /^runtime\/(?:worker|guest)(?=\/)/.exec(path)?.[0] ?? path.split("/")[0] ?? path;
}

/** Every file that is or would be committed. */
export function repositoryFiles(): readonly string[] {
  if (existsSync(join(root, ".git"))) {
    const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    const names = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 }).split("\0");
    return names.filter((name) => name !== "" && existsSync(join(root, name)));
  }
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .filter((name) => !/(?:^|\/)(?:node_modules|dist|coverage)\//.test(name));
}

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  return ts.isImportDeclaration(node)
    ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    : node.isTypeOnly;
}

export function readSource(path: string): Source {
  const text = readText(path);
  const imports: Import[] = [];
  const processReads: string[] = [];
  const add = (specifier: string, typeOnly: boolean): void => {
    const local = specifier.startsWith(".");
    const target = local
      ? posix.join(dirname(path), specifier)
      : specifier.startsWith("node:")
        ? specifier
        : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    imports.push({ from: path, target, local, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined
    ) {
      if (ts.isStringLiteral(node.moduleSpecifier)) add(node.moduleSpecifier.text, isTypeOnly(node));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node.argument.literal.text, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument !== undefined && ts.isStringLiteralLike(argument)) add(argument.text, false);
    } else if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      if (node.expression.text === "process") processReads.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return { path, text, lines: countLines(text), imports, processReads };
}
