// Owns the constants of a script: the values that a person can read in it, for the matcher `literal`.
import ts from "typescript";
import type { ParsedScript } from "./program.ts";

export type Constant = null | boolean | number | string;

const MAX_CONSTANTS = 20_000;
const MAX_UNITS = 1 << 20;

/**
 * String, number, boolean and null literals, templates without substitutions, and the property names of object
 * literals; each once. Past 20 000 constants or 1 Mi UTF-16 units the rest is left out and so counts as computed.
 */
export function findConstants({ source }: ParsedScript): readonly Constant[] {
  const found = new Set<Constant>();
  let units = 0;
  const add = (value: Constant | undefined): void => {
    if (value === undefined || found.has(value) || found.size === MAX_CONSTANTS) return;
    units += typeof value === "string" ? value.length : 1;
    if (units <= MAX_UNITS) found.add(value);
  };
  const visit = (node: ts.Node): void => {
    // What only a type says is no value of the script.
    if (ts.isTypeNode(node)) return;
    add(valueOf(node));
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) add(nameOf(node.name));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function valueOf(node: ts.Node): Constant | undefined {
  switch (node.kind) {
    case ts.SyntaxKind.StringLiteral:
      return (node as ts.StringLiteral).text;
    case ts.SyntaxKind.NoSubstitutionTemplateLiteral:
      // A tag makes of the text what it likes.
      return ts.isTaggedTemplateExpression(node.parent)
        ? undefined
        : (node as ts.NoSubstitutionTemplateLiteral).text;
    case ts.SyntaxKind.NumericLiteral:
      return Number((node as ts.NumericLiteral).text);
    case ts.SyntaxKind.PrefixUnaryExpression: {
      const { operator, operand } = node as ts.PrefixUnaryExpression;
      return operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(operand)
        ? -Number(operand.text)
        : undefined;
    }
    case ts.SyntaxKind.TrueKeyword:
      return true;
    case ts.SyntaxKind.FalseKeyword:
      return false;
    case ts.SyntaxKind.NullKeyword:
      return null;
    default:
      return undefined;
  }
}

// A computed name is an expression, whose own literals are found by themselves.
function nameOf(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name)
    ? name.text
    : undefined;
}
