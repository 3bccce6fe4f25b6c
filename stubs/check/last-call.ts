// Owns scripts that end with a call of their own async function, `main();`: they mean to wait for it.
import ts from "typescript";
import { type ParsedScript, scriptOffset } from "./program.ts";
import type { Surroundings } from "./strip.ts";

/** The statement that is awaited though the script does not say so, and how. */
export interface LastCall {
  readonly statement: ts.Statement;
  readonly around: Surroundings;
}

const CHAIN: ReadonlySet<string> = new Set(["then", "catch", "finally"]);

/**
 * Waiting for the last statement changes nothing but when the script ends, and that its errors are seen. `await` goes
 * to the line above, where nothing has a column. Pure.
 */
export function findLastCall(parsed: ParsedScript): LastCall | undefined {
  const [wrapper] = parsed.source.statements;
  if (wrapper === undefined || !ts.isFunctionDeclaration(wrapper) || wrapper.body === undefined)
    return undefined;
  const { statements } = wrapper.body;
  const index = statements.findLastIndex((statement) => !isDeclaration(statement));
  const last = statements[index];
  if (last === undefined || !ts.isExpressionStatement(last)) return undefined;
  if (!callsAsync(last.expression, statements)) return undefined;
  const previous = statements[index - 1];
  if (previous === undefined) return { statement: last, around: { before: " await", after: "" } };
  const between = parsed.source.text.slice(previous.end, last.getStart(parsed.source));
  if (!between.includes("\n")) return undefined;
  const insert = { offset: scriptOffset(previous.end), text: "; await" };
  return { statement: last, around: { before: "", after: "", insert } };
}

/** `main()`, `(async () => { ... })()`, each with `.then`, `.catch` or `.finally` behind it or not. */
function callsAsync(expression: ts.Expression, statements: readonly ts.Statement[]): boolean {
  const call = unwrapped(expression);
  if (!ts.isCallExpression(call)) return false;
  const callee = unwrapped(call.expression);
  if (ts.isPropertyAccessExpression(callee)) {
    return CHAIN.has(callee.name.text) && callsAsync(callee.expression, statements);
  }
  if (!ts.isIdentifier(callee)) return isAsync(callee);
  return statements.some((statement) => definesAsync(statement, callee.text));
}

function definesAsync(statement: ts.Statement, name: string): boolean {
  if (ts.isFunctionDeclaration(statement)) return statement.name?.text === name && isAsync(statement);
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.some(
    (declaration) =>
      ts.isIdentifier(declaration.name) &&
      declaration.name.text === name &&
      declaration.initializer !== undefined &&
      isAsync(unwrapped(declaration.initializer)),
  );
}

function isAsync(node: ts.Node): boolean {
  if (!ts.isFunctionDeclaration(node) && !ts.isFunctionExpression(node) && !ts.isArrowFunction(node))
    return false;
  if (node.asteriskToken !== undefined) return false;
  return node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword) ?? false;
}

function isDeclaration(statement: ts.Statement): boolean {
  return (
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEmptyStatement(statement)
  );
}

function unwrapped(expression: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(expression) ? unwrapped(expression.expression) : expression;
}
