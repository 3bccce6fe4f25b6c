// Owns listing every missing and unknown key of an object literal, where TypeScript names only the first.
import ts from "typescript";
import { nearestName } from "./catalog-index.ts";
import { bounded } from "./text.ts";

const EXCESS: ReadonlySet<number> = new Set([2353, 2561]);
const MISMATCH: ReadonlySet<number> = new Set([2322, 2345, 2739, 2740, 2741, ...EXCESS]);
const MAX_KEYS = 12;
const MAX_TYPE = 60;

/** "lacks `a` (string); has unknown `b` (did you mean `a`?)." or undefined when the keys are not the matter. */
export function explainKeys(
  error: ts.Diagnostic,
  node: ts.Node,
  checker: ts.TypeChecker,
): string | undefined {
  if (!MISMATCH.has(error.code)) return undefined;
  const literal = literalOf(node, EXCESS.has(error.code));
  if (literal === undefined) return undefined;
  const contextual = checker.getContextualType(literal);
  const wanted = contextual === undefined ? undefined : checker.getNonNullableType(contextual);
  if (wanted === undefined || wanted.isUnion() || (wanted.flags & ts.TypeFlags.Object) === 0) {
    if (wanted?.isIntersection() !== true) return undefined;
  }
  const properties = checker.getPropertiesOfType(wanted as ts.Type);
  if (properties.length === 0 && !EXCESS.has(error.code)) return undefined;
  const own = checker.getTypeAtLocation(literal);
  const missing = properties.filter(
    (property) =>
      (property.flags & ts.SymbolFlags.Optional) === 0 && own.getProperty(property.name) === undefined,
  );
  const open = checker.getIndexInfosOfType(wanted as ts.Type).length > 0;
  const names = properties.map((property) => property.name);
  const unknown = open ? [] : ownKeys(literal).filter((key) => !names.includes(key));
  if (missing.length + unknown.length === 0) return undefined;
  const lacks = missing.map((property) => {
    const type = checker.typeToString(checker.getTypeOfSymbolAtLocation(property, literal));
    return `\`${bounded(property.name, 80)}\` (${bounded(type, MAX_TYPE)})`;
  });
  const given = ownKeys(literal);
  const free = names.filter((name) => !given.includes(name));
  const extra = unknown.map((key) => {
    const meant = nearestName(free, key);
    return `\`${bounded(key, 80)}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}`;
  });
  const parts = [
    ...(lacks.length === 0 ? [] : [`lacks ${list(lacks)}`]),
    ...(extra.length === 0 ? [] : [`has unknown ${list(extra)}`]),
  ];
  const allowed =
    extra.length === 0 || free.length === 0 || lacks.length > 0
      ? ""
      : ` It may have ${list(free.map((name) => `\`${name}\``))}.`;
  return `${parts.join("; ")}.${allowed}`;
}

function literalOf(node: ts.Node, excess: boolean): ts.ObjectLiteralExpression | undefined {
  if (!excess && ts.isObjectLiteralExpression(node)) return node;
  for (let at: ts.Node | undefined = node; at !== undefined && !ts.isStatement(at); at = at.parent) {
    if (!excess && ts.isPropertyAssignment(at)) {
      return ts.isObjectLiteralExpression(at.initializer) && at.name === node ? at.initializer : undefined;
    }
    if (excess && ts.isObjectLiteralExpression(at)) return at;
    if (!excess && ts.isVariableDeclaration(at)) {
      return at.initializer !== undefined && ts.isObjectLiteralExpression(at.initializer)
        ? at.initializer
        : undefined;
    }
  }
  return undefined;
}

function ownKeys(literal: ts.ObjectLiteralExpression): readonly string[] {
  return literal.properties.flatMap((property) => {
    const name = property.name;
    if (name === undefined) return [];
    if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name))
      return [name.text];
    return [];
  });
}

function list(items: readonly string[]): string {
  const shown = items.slice(0, MAX_KEYS);
  return `${shown.join(", ")}${items.length > MAX_KEYS ? ` and ${items.length - MAX_KEYS} more` : ""}`;
}
