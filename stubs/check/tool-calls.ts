// Owns recognising tool calls in the syntax tree, and warning of those that nothing awaits.
import ts from "typescript";
import type { CatalogIndex } from "./catalog-index.ts";
import { type Finding, MAX_DIAGNOSTICS } from "./finding.ts";
import { type CheckedScript, type ParsedScript, scriptOffset } from "./program.ts";
import { isAssignmentOperator } from "./tolerance.ts";

const CATALOG_CALLS: ReadonlySet<string> = new Set(["search", "describe"]);

/** `namespace.identifier` when the node calls a tool (or the catalog, or `sleep`) of the sandbox; else undefined. */
export function calledTool(node: ts.Node, checker: ts.TypeChecker, index: CatalogIndex): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const callee = unwrapped(node.expression);
  if (ts.isIdentifier(callee)) {
    return callee.text === "sleep" && isGlobal(callee, checker) ? "sleep" : undefined;
  }
  const path = pathOf(callee);
  if (path === undefined) return undefined;
  const { root, members } = path;
  const namespace = root.text;
  const known =
    index.namespaces.get(namespace)?.has(members) === true ||
    (namespace === "catalog" && CATALOG_CALLS.has(members));
  return known && isGlobal(root, checker) ? `${namespace}.${members}` : undefined;
}

/** `root.members`, where members may be `resources.read`. */
function pathOf(
  callee: ts.Expression,
): { readonly root: ts.Identifier; readonly members: string } | undefined {
  if (!ts.isPropertyAccessExpression(callee)) return undefined;
  const { expression, name } = callee;
  if (ts.isIdentifier(expression)) return { root: expression, members: name.text };
  if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) return undefined;
  return { root: expression.expression, members: `${expression.name.text}.${name.text}` };
}

/** False for a name that the script declares itself. */
export function isGlobal(name: ts.Identifier, checker: ts.TypeChecker): boolean {
  const declarations = checker.getSymbolAtLocation(name)?.declarations ?? [];
  return (
    declarations.length > 0 &&
    declarations.every((declaration) => declaration.getSourceFile() !== name.getSourceFile())
  );
}

/**
 * One warning for each tool call whose promise is dropped: the script may end before the call does. `awaited` is a
 * statement that will be awaited all the same.
 */
export function unawaitedFindings(
  parsed: ParsedScript,
  checked: CheckedScript,
  index: CatalogIndex,
  awaited?: ts.Statement,
): readonly Finding[] {
  const { checker } = checked;
  const found = new Map<ts.Node, Finding>();
  const report = (call: ts.Node, name: string, suggestion: string): void => {
    if (found.has(call) || found.size === MAX_DIAGNOSTICS) return;
    found.set(call, {
      severity: "warning",
      code: "UNAWAITED_CALL",
      message: `The promise of ${name} is not awaited: its result and its error are lost, and the script may end first.`,
      offset: scriptOffset(call.getStart(parsed.source)),
      suggestion,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) && node !== awaited) {
      const expression = unwrapped(node.expression);
      const dropped = droppedCall(expression, checker, index);
      // The type is asked for last: it costs more than the walk.
      if (dropped !== undefined && isPromise(checker.getTypeAtLocation(expression), checker)) {
        report(dropped.call, dropped.name, "Put `await` in front of the statement.");
      } else {
        const ignored = inIgnoredCallback(expression, checker, index);
        if (ignored !== undefined) report(ignored.call, ignored.name, LOOP);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed.source);
  return [...found.values()];
}

const LOOP =
  "Use `for (const item of items) { await ... }`, or `await Promise.all(items.map(async (item) => ...))`.";

interface Dropped {
  readonly call: ts.Node;
  readonly name: string;
}

/** A tool call that the promise of `expression` stands for: inside it, or inside the function of the script it calls. */
function droppedCall(expression: ts.Node, checker: ts.TypeChecker, index: CatalogIndex): Dropped | undefined {
  const inside = floatingIn(expression, checker, index, false);
  if (inside !== undefined) return inside;
  if (!ts.isCallExpression(expression)) return undefined;
  const callee = unwrapped(expression.expression);
  if (!ts.isIdentifier(callee)) return undefined;
  for (const declaration of checker.getSymbolAtLocation(callee)?.declarations ?? []) {
    if (declaration.getSourceFile() !== callee.getSourceFile()) continue;
    const body = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
    const call = body === undefined ? undefined : floatingIn(body, checker, index, true);
    if (call !== undefined)
      return { call: expression, name: `\`${callee.text}(...)\` (it calls ${call.name})` };
  }
  return undefined;
}

/** The first tool call in `node` that is not awaited on the way; inside nested functions every call counts. */
function floatingIn(
  node: ts.Node,
  checker: ts.TypeChecker,
  index: CatalogIndex,
  nested: boolean,
): Dropped | undefined {
  if (!nested && (ts.isAwaitExpression(node) || isAssignment(node))) return undefined;
  const name = calledTool(node, checker, index);
  if (name !== undefined) return { call: node, name: `\`${name}\`` };
  const inFunction = nested || ts.isFunctionLike(node);
  return ts.forEachChild(node, (child) => floatingIn(child, checker, index, inFunction));
}

/** `items.forEach(async ...)` and a dropped `items.map(...)`: the caller ignores what the callback returns. */
function inIgnoredCallback(
  expression: ts.Node,
  checker: ts.TypeChecker,
  index: CatalogIndex,
): Dropped | undefined {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression))
    return undefined;
  const method = expression.expression.name.text;
  if (method !== "forEach" && method !== "map") return undefined;
  const [argument] = expression.arguments;
  if (argument === undefined) return undefined;
  const callback = unwrapped(argument);
  if (!ts.isArrowFunction(callback) && !ts.isFunctionExpression(callback)) return undefined;
  const isAsync =
    callback.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword) ?? false;
  if (isAsync) return floatingIn(callback.body, checker, index, true);
  // A block of a plain function is made of statements, which are looked at one by one.
  return ts.isBlock(callback.body) ? undefined : floatingIn(callback.body, checker, index, false);
}

/** True for a promise, and for a union that may be one. */
export function isPromise(type: ts.Type, checker: ts.TypeChecker): boolean {
  const members = type.isUnion() ? type.types : [type];
  return members.some((member) => {
    const symbol = member.getSymbol();
    return symbol?.name === "Promise" && checker.getPropertyOfType(member, "then") !== undefined;
  });
}

function isAssignment(node: ts.Node): boolean {
  return ts.isBinaryExpression(node) && isAssignmentOperator(node.operatorToken.kind);
}

function unwrapped(expression: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isAsExpression(expression)
  ) {
    return unwrapped(expression.expression);
  }
  return expression;
}
