// Owns scripts that only define one function: models write them, and mean that it is called.
import ts from "typescript";
import type { Finding } from "./finding.ts";
import { type ParsedScript, scriptOffset } from "./program.ts";
import type { Surroundings } from "./strip.ts";

/** What to change so that the one function of a script is called and its result becomes the script's. */
export interface Habit {
  /** The script to compile instead, columns kept; absent when the script itself stays as it is. */
  readonly script?: string;
  readonly around: Surroundings;
  readonly finding: Finding;
}

const NO_SURROUNDINGS: Surroundings = { before: "", after: "" };
const CALL: Surroundings = { before: " return (", after: "\n)();" };

/** Recognises `export default <function>`, a lone function expression, and a lone `async function`. Pure. */
export function findHabit(parsed: ParsedScript): Habit | undefined {
  const [wrapper] = parsed.source.statements;
  if (wrapper === undefined || !ts.isFunctionDeclaration(wrapper) || wrapper.body === undefined)
    return undefined;
  const statements = wrapper.body.statements.filter((statement) => !isErased(statement));
  const exported = statements.find((statement) => exportStart(statement, parsed.source) !== undefined);
  if (exported !== undefined) {
    // What follows would come after a return; only functions are there before it.
    const after = statements.slice(statements.indexOf(exported) + 1);
    return after.every(ts.isFunctionDeclaration) ? exportDefault(parsed, exported) : undefined;
  }
  const [only] = statements;
  if (only === undefined || statements.length !== 1) return undefined;
  const name = asyncFunctionName(only);
  if (name !== undefined) {
    return {
      around: { before: "", after: `\nreturn ${name}();` },
      finding: called(parsed, only, `the script only defines \`${name}\``),
    };
  }
  if (ts.isExpressionStatement(only) && isBareCall(unwrapped(only.expression))) {
    // A semicolon cannot stand inside the parentheses of the call.
    const end = parsed.source.text.lastIndexOf(";", only.end - 1);
    if (end === only.end - 1) {
      const at = scriptOffset(end);
      const script = `${parsed.script.slice(0, at)} ${parsed.script.slice(at + 1)}`;
      return { script, around: CALL, finding: called(parsed, only, "the script is only a function") };
    }
    return { around: CALL, finding: called(parsed, only, "the script is only a function") };
  }
  return undefined;
}

/** `export default f` becomes `return (         f)()`: the columns of `f` stay. */
function exportDefault(parsed: ParsedScript, statement: ts.Statement): Habit | undefined {
  const target = ts.isExportAssignment(statement) ? unwrapped(statement.expression) : statement;
  if (!isBareCall(target) || namedElsewhere(target, parsed)) return undefined;
  const start = scriptOffset(exportStart(statement, parsed.source) as number);
  const { script } = parsed;
  const keyword = /^export\s+default\b/.exec(script.slice(start))?.[0];
  if (keyword === undefined || keyword.includes("\n")) return undefined;
  const end = scriptOffset(statement.end);
  const semicolon = script[end - 1] === ";" ? 1 : 0;
  const opened = "return (".padEnd(keyword.length, " ");
  const text = `${script.slice(0, start)}${opened}${script.slice(start + keyword.length, end - semicolon)})();${script.slice(end)}`;
  return {
    script: text,
    around: NO_SURROUNDINGS,
    finding: called(parsed, statement, "the script exports a function"),
  };
}

function called(parsed: ParsedScript, node: ts.Node, why: string): Finding {
  return {
    severity: "warning",
    code: "FUNCTION_CALLED",
    message: `It was called without arguments, because ${why}.`,
    offset: scriptOffset(node.getStart(parsed.source)),
    suggestion: "Write the statements at the top level: `await` and `return` work there.",
  };
}

function exportStart(statement: ts.Statement, source: ts.SourceFile): number | undefined {
  if (ts.isExportAssignment(statement))
    return statement.isExportEquals === true ? undefined : statement.getStart(source);
  if (!ts.isFunctionDeclaration(statement)) return undefined;
  const [first, second] = statement.modifiers ?? [];
  return first?.kind === ts.SyntaxKind.ExportKeyword && second?.kind === ts.SyntaxKind.DefaultKeyword
    ? statement.getStart(source)
    : undefined;
}

/** A function that means the same when it is called with nothing. */
function isBareCall(node: ts.Node): boolean {
  if (!ts.isFunctionDeclaration(node) && !ts.isFunctionExpression(node) && !ts.isArrowFunction(node))
    return false;
  if (node.body === undefined || node.asteriskToken !== undefined) return false;
  return node.parameters.every(
    (parameter) =>
      parameter.initializer !== undefined ||
      parameter.questionToken !== undefined ||
      parameter.dotDotDotToken !== undefined,
  );
}

/** The name of the async function that a statement defines, when that is all it does. */
function asyncFunctionName(statement: ts.Statement): string | undefined {
  if (ts.isFunctionDeclaration(statement)) {
    return isAsync(statement) && isBareCall(statement) ? statement.name?.text : undefined;
  }
  if (!ts.isVariableStatement(statement)) return undefined;
  const [declaration] = statement.declarationList.declarations;
  if (declaration?.initializer === undefined || statement.declarationList.declarations.length !== 1)
    return undefined;
  const value = unwrapped(declaration.initializer);
  return ts.isIdentifier(declaration.name) && isAsync(value) && isBareCall(value)
    ? declaration.name.text
    : undefined;
}

function isAsync(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword) ?? false)
  );
}

/** A function that the script calls by its name already, or means to, is not called a second time. */
function namedElsewhere(node: ts.Node, parsed: ParsedScript): boolean {
  const name = ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) ? node.name?.text : undefined;
  if (name === undefined) return false;
  const outside = parsed.source.text.slice(0, node.pos) + parsed.source.text.slice(node.end);
  return outside.split(/[^\w$]+/).includes(name);
}

function isErased(statement: ts.Statement): boolean {
  return (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEmptyStatement(statement)
  );
}

function unwrapped(expression: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(expression) ? unwrapped(expression.expression) : expression;
}
