// Owns which of TypeScript's complaints are about plain JavaScript that runs well, and so must not stop a script.
import ts from "typescript";

/** `keep` it as what it is, tell it as a `warning`, or `drop` it. */
export type Weight = "keep" | "warning" | "drop";

// `@ts-expect-error` without an error, a field or `this` without a type, a name that TypeScript lets be `any`.
const HARMLESS: ReadonlySet<number> = new Set([2564, 2578, 2683]);
const ARITHMETIC: ReadonlySet<number> = new Set([2362, 2363]);
const MAYBE_NOTHING: ReadonlySet<number> = new Set([2531, 2532, 2533, 18047, 18048, 18049]);
const UNASSIGNED = 2454;
const NO_MEMBER: ReadonlySet<number> = new Set([2339, 2551]);
const NO_INDEX = 7053;

/** Complaints that never matter when a script runs. */
export function isHarmless(code: number): boolean {
  return HARMLESS.has(code) || (code >= 7000 && code < 7100 && code !== NO_INDEX);
}

/**
 * `noImplicitAny` is on because only then do `let best = null` and `const rows = []` take the types of what is put
 * into them later; its own complaints are dropped here.
 */
export function weigh(error: ts.Diagnostic, node: ts.Node, checker: ts.TypeChecker): Weight {
  const { code } = error;
  if (isHarmless(code)) return "drop";
  if (code === UNASSIGNED) return "warning";
  if (code === NO_INDEX) return isIndexedByLiteral(node) ? "keep" : "drop";
  if (ARITHMETIC.has(code))
    return checker.getTypeAtLocation(node).getSymbol()?.name === "Date" ? "drop" : "keep";
  if (MAYBE_NOTHING.has(code)) return isUntypedVariable(node, checker) ? "warning" : "keep";
  if (NO_MEMBER.has(code)) return isNoMember(node, checker) ? "drop" : "keep";
  // Nothing fits into an array of which TypeScript only saw that it began empty; and what comes out of a map that
  // began as `{}` is unknown.
  const message = ts.flattenDiagnosticMessageText(error.messageText, "\n");
  return /\btype 'never'\.$|'unknown'/.test(message) ? "drop" : "keep";
}

/** `github["list-issues"]` names a member; `counts[name]` uses an object as a map. */
function isIndexedByLiteral(node: ts.Node): boolean {
  const access = ts.isElementAccessExpression(node) ? node : node.parent;
  return (
    ts.isElementAccessExpression(access) &&
    ts.isStringLiteralLike(access.argumentExpression) &&
    ts.isIdentifier(access.expression)
  );
}

/** A variable that began as nothing and has no annotation: callbacks that assign it are invisible to TypeScript. */
function isUntypedVariable(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (!ts.isIdentifier(node)) return false;
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration) || declaration.type !== undefined)
    return false;
  const { initializer } = declaration;
  return (
    initializer === undefined ||
    initializer.kind === ts.SyntaxKind.NullKeyword ||
    (ts.isIdentifier(initializer) && initializer.text === "undefined")
  );
}

/** A member of what only seems to have none. */
function isNoMember(node: ts.Node, checker: ts.TypeChecker): boolean {
  const access = node.parent;
  if (!ts.isPropertyAccessExpression(access)) return false;
  const owner = checker.getTypeAtLocation(access.expression);
  // A variable that a callback assigns is narrowed to `never`, because TypeScript does not see the assignment.
  if ((owner.flags & ts.TypeFlags.Never) !== 0) return true;
  const literal = owner.getSymbol()?.declarations?.[0];
  if (literal === undefined || !ts.isObjectLiteralExpression(literal)) return false;
  if (literal.getSourceFile() !== node.getSourceFile()) return false;
  return literal.properties.length === 0 || isAssignedSomewhere(access.name.text, node.getSourceFile());
}

function isAssignedSomewhere(name: string, source: ts.SourceFile): boolean {
  const visit = (node: ts.Node): boolean =>
    (ts.isBinaryExpression(node) &&
      isAssignmentOperator(node.operatorToken.kind) &&
      ts.isPropertyAccessExpression(node.left) &&
      node.left.name.text === name) ||
    ts.forEachChild(node, (child) => visit(child) || undefined) === true;
  return visit(source);
}

export function isAssignmentOperator(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
