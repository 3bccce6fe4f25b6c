// Owns what a script may not be, by its syntax alone: broken, closed early, or not removable by erasing types.
import ts from "typescript";
import type { Finding } from "./finding.ts";
import { type ParsedScript, parseScript, scriptOffset } from "./program.ts";

const OPEN_COMMENT = 1010;
const SUGGESTIONS: ReadonlyMap<number, string> = new Map([
  [1002, "A quoted string ends on its own line: write \\n inside it, or use a template literal (`...`)."],
  [1160, "Close the template literal with a back-tick, and write \\` for one inside it."],
  [OPEN_COMMENT, "Close the comment with */."],
]);

/** Why a script cannot be parsed, or closes the function it is wrapped in; empty when it is sound. */
export function syntaxFindings(parsed: ParsedScript): readonly Finding[] {
  const early = earlyEnd(parsed);
  if (parsed.syntaxErrors.length > 0) {
    const jsx = jsxIn(parsed.script);
    if (jsx !== undefined) return [jsx];
  }
  const fenced = /^\s*(?:`{3}|~{3})/m.test(parsed.script)
    ? "Send the code only: no code fence, no text around it."
    : undefined;
  // An open comment takes the wrapper's own end with it, which is no second error.
  const open = parsed.syntaxErrors.filter((error) => error.code === OPEN_COMMENT);
  const broken = (open.length > 0 ? open : parsed.syntaxErrors).map((error): Finding => {
    const suggestion = fenced ?? SUGGESTIONS.get(error.code);
    return {
      severity: "error",
      code: "SCRIPT_SYNTAX",
      typescript: error.code,
      message: ts.flattenDiagnosticMessageText(error.messageText, "\n"),
      offset: Math.min(scriptOffset(error.start), parsed.script.length),
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  });
  // After the end of the function every error is only a consequence.
  return early === undefined || open.length > 0
    ? broken
    : [...broken.filter((finding) => finding.offset < early.offset), early];
}

// Security: `} evil(); {` would leave the wrapper. One statement that ends where the text ends cannot have.
function earlyEnd(parsed: ParsedScript): Finding | undefined {
  const { source } = parsed;
  const [only] = source.statements;
  if (only !== undefined && source.statements.length === 1 && only.end === source.text.length)
    return undefined;
  // Without a closing brace of its own the function ends at the end of the text: an ordinary syntax error.
  if (only === undefined || only.end >= source.text.length) return undefined;
  return {
    severity: "error",
    code: "SCRIPT_SYNTAX",
    message: "This `}` closes nothing that was opened in the script.",
    offset: scriptOffset(only.end - 1),
  };
}

function jsxIn(script: string): Finding | undefined {
  const asTsx = parseScript(script, "tsx");
  if (asTsx.syntaxErrors.length > 0) return undefined;
  let at: number | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)) {
      at ??= node.getStart(asTsx.source);
    } else if (at === undefined) ts.forEachChild(node, visit);
  };
  visit(asTsx.source);
  if (at === undefined) return undefined;
  return unsupported(scriptOffset(at), "JSX cannot run here.", "Build text with a template literal instead.");
}

const MEMBER_MODIFIERS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PublicKeyword,
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
  ts.SyntaxKind.ReadonlyKeyword,
  ts.SyntaxKind.OverrideKeyword,
]);

const NO_MODULES = "A script loads no modules.";
const IN_SCOPE =
  "Remove it: the tools are in scope as namespaces (`server.tool(...)`), and so are the ECMAScript built-ins.";

/** Syntax that erasing types cannot turn into JavaScript, or that has no meaning in a script. */
export function unsupportedFindings(parsed: ParsedScript): readonly Finding[] {
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    const [message, suggestion] = refusal(node, parsed.source) ?? [];
    if (message !== undefined)
      found.push(unsupported(scriptOffset(node.getStart(parsed.source)), message, suggestion));
    // A refused declaration's inside only repeats the refusal.
    else ts.forEachChild(node, visit);
  };
  visit(parsed.source);
  return found;
}

function refusal(node: ts.Node, source: ts.SourceFile): readonly [string, string?] | undefined {
  switch (node.kind) {
    case ts.SyntaxKind.EnumDeclaration:
      return ["`enum` cannot run here.", 'Write `const Name = { A: "a", B: "b" } as const;` instead.'];
    case ts.SyntaxKind.ModuleDeclaration:
      return [
        "`namespace`, `module` and `declare global` cannot be used in a script.",
        "Use a plain object for values; types can be declared directly. The tools are declared already.",
      ];
    case ts.SyntaxKind.Decorator:
      return ["Decorators cannot run here.", "Call the function around the value instead."];
    case ts.SyntaxKind.TypeAssertionExpression:
      return ["`<T>value` cannot be erased.", "Write `value as T` instead."];
    case ts.SyntaxKind.ImportDeclaration:
    case ts.SyntaxKind.ImportEqualsDeclaration:
      return [`${NO_MODULES} \`import\` cannot be used.`, IN_SCOPE];
    case ts.SyntaxKind.ExportDeclaration:
    case ts.SyntaxKind.ExportAssignment:
    case ts.SyntaxKind.ExportKeyword:
      return [
        "A script exports nothing.",
        "Remove `export`; log the result with `console.log` or `return` it.",
      ];
    case ts.SyntaxKind.DeclareKeyword:
      return ts.isPropertyDeclaration(node.parent)
        ? undefined
        : [
            "Nothing outside a script needs declaring.",
            "Remove the declaration: the tools are in scope with their types.",
          ];
    case ts.SyntaxKind.AccessorKeyword:
      return ["`accessor` fields cannot run here.", "Write a field, or a getter and a setter."];
    case ts.SyntaxKind.MetaProperty:
      return node.getText(source).startsWith("import")
        ? [`${NO_MODULES} \`import.meta\` is absent.`]
        : undefined;
    case ts.SyntaxKind.ImportKeyword:
      return node.parent !== undefined && ts.isCallExpression(node.parent)
        ? [`${NO_MODULES} \`import()\` cannot be used.`, IN_SCOPE]
        : undefined;
    case ts.SyntaxKind.ImportType:
      return [`${NO_MODULES} \`import(...)\` types cannot be used.`, "Declare the type in the script."];
    case ts.SyntaxKind.Parameter:
      return (node as ts.ParameterDeclaration).modifiers?.some((modifier) =>
        MEMBER_MODIFIERS.has(modifier.kind),
      )
        ? ["A parameter property cannot be erased.", "Declare the field and assign it in the constructor."]
        : undefined;
    case ts.SyntaxKind.BinaryExpression:
      return htmlComment(node as ts.BinaryExpression, source);
    default:
      return undefined;
  }
}

// Security: outside modules V8 reads `<!--` as the start of a comment and TypeScript does not, so the two would
// see different programs. Everywhere but in text, `<!--` is a less-than sign.
function htmlComment(
  node: ts.BinaryExpression,
  source: ts.SourceFile,
): readonly [string, string] | undefined {
  const { operatorToken } = node;
  if (operatorToken.kind !== ts.SyntaxKind.LessThanToken) return undefined;
  if (!source.text.startsWith("<!--", operatorToken.getStart(source))) return undefined;
  return ["`<!--` is read as a comment by some engines.", "Put a space after `<`."];
}

function unsupported(offset: number, message: string, suggestion?: string): Finding {
  return {
    severity: "error",
    code: "SCRIPT_UNSUPPORTED_SYNTAX",
    message,
    offset,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
