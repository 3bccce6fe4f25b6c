// Owns turning TypeScript's semantic errors into sentences that tell a model what to write.
import ts from "typescript";
import { ABSENT_GLOBALS } from "../../contract/absent.ts";
import {
  type CatalogIndex,
  type CheckedTool,
  nameOf,
  nearestName,
  nearestNamespace,
  nearestTools,
  signatureLine,
} from "./catalog-index.ts";
import { explainChoice } from "./choices.ts";
import { type Finding, MAX_DIAGNOSTICS } from "./finding.ts";
import { explainKeys } from "./object-keys.ts";
import { type CheckedScript, type ParsedScript, scriptOffset } from "./program.ts";
import { bounded } from "./text.ts";
import { isHarmless, weigh } from "./tolerance.ts";
import { calledTool, isGlobal, isPromise } from "./tool-calls.ts";

const UNKNOWN_NAME: ReadonlySet<number> = new Set([
  2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004,
]);
const UNKNOWN_MEMBER: ReadonlySet<number> = new Set([2339, 2551, 2550, 2694, 7053]);
const FORGOTTEN_AWAIT = 2773;
const NOT_A_VALUE: ReadonlySet<number> = new Set([2585, 2693]);
const MAX_WEIGHED = 2_000;
const MAX_TYPE = 160;
const MAX_LINES = 3;
const AWAIT =
  "Missing `await`? This is a promise: put `await` in front of the call, or `(await ...)` around it.";

/** What the semantic errors mean. `severity` is that of type errors: a warning when the check only advises. */
export function typeFindings(
  parsed: ParsedScript,
  checked: CheckedScript,
  index: CatalogIndex,
  severity: Finding["severity"],
): readonly Finding[] {
  const findings: Finding[] = [];
  const inOrder = checked.errors
    .filter((error): error is ts.DiagnosticWithLocation => error.start !== undefined)
    .sort((a, b) => a.start - b.start);
  const told = new Set<string>();
  const kept = { error: 0, warning: 0 };
  for (const error of inOrder.filter(({ code }) => !isHarmless(code)).slice(0, MAX_WEIGHED)) {
    // Explaining costs a search of the catalog, and only the first few are shown.
    if (kept.error === MAX_DIAGNOSTICS) break;
    const node = nodeAt(parsed.source, error.start);
    const weight = weigh(error, node, checked.checker);
    if (weight === "drop" || (weight === "warning" && kept.warning === MAX_DIAGNOSTICS)) continue;
    if (isRepeat(error, told)) continue;
    kept[weight === "warning" ? "warning" : "error"] += 1;
    const said = explain(error, node, checked.checker, index);
    findings.push({
      severity: weight === "warning" ? "warning" : severity,
      // Numbers below 2000 are TypeScript's grammar; the engine would refuse most of them too.
      code: error.code < 2000 ? "SCRIPT_SYNTAX" : "SCRIPT_TYPE",
      typescript: error.code,
      message: said.message,
      offset: Math.min(Math.max(0, scriptOffset(error.start)), parsed.script.length),
      ...(said.suggestion === undefined ? {} : { suggestion: said.suggestion }),
    });
  }
  return findings;
}

/** The same unknown name is told once, so that other errors have room beside it. */
function isRepeat(error: ts.Diagnostic, seen: Set<string>): boolean {
  if (!UNKNOWN_NAME.has(error.code) && !UNKNOWN_MEMBER.has(error.code)) return false;
  const key = `${error.code} ${ts.flattenDiagnosticMessageText(error.messageText, "\n")}`;
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

interface Said {
  readonly message: string;
  readonly suggestion?: string | undefined;
}

function explain(error: ts.Diagnostic, node: ts.Node, checker: ts.TypeChecker, index: CatalogIndex): Said {
  const message = shortened(error.messageText);
  const isAbsent = NOT_A_VALUE.has(error.code) && Object.hasOwn(ABSENT_GLOBALS, node.getText());
  if ((UNKNOWN_NAME.has(error.code) || isAbsent) && ts.isIdentifier(node))
    return unknownName(node, message, index);
  if (UNKNOWN_MEMBER.has(error.code)) {
    const said = unknownMember(node, message, checker, index);
    if (said !== undefined) return said;
  }
  if (error.code === 2307)
    return { message: "There are no modules to take types from.", suggestion: undefined };
  if (
    error.relatedInformation?.some((related) => related.code === FORGOTTEN_AWAIT) ||
    /\bPromise</.test(message)
  ) {
    return { message, suggestion: AWAIT };
  }
  const call = enclosingCall(node, checker, index);
  const signature = call === undefined ? undefined : signatureOf(call, index);
  const keys = explainKeys(error, node, checker);
  if (keys !== undefined) {
    return {
      message: `${call === undefined ? "This object" : `The argument of \`${call}\``} ${keys}`,
      suggestion: signature,
    };
  }
  const key =
    ts.isPropertyAssignment(node.parent) && node.parent.name === node ? `\`${node.getText()}\`: ` : "";
  return { message: `${key}${explainChoice(node, checker) ?? message}`, suggestion: signature };
}

function unknownName(node: ts.Identifier, message: string, index: CatalogIndex): Said {
  const name = node.text;
  const absent = Object.hasOwn(ABSENT_GLOBALS, name) ? ABSENT_GLOBALS[name] : undefined;
  if (absent !== undefined) return { message: `\`${name}\` is not available in a script: ${absent}.` };
  const plain = message.replace(/ Do you need to (?:install|change).*$/s, "");
  if (/ Did you mean /.test(plain)) return { message: plain };
  const namespace = nearestNamespace(index, name);
  if (namespace !== undefined) return { message: plain, suggestion: `Did you mean \`${namespace}\`?` };
  const { parent } = node;
  const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : "";
  const own = nearestTools(index, name);
  const tools = own.length > 0 ? own : nearestTools(index, member);
  if (tools.length > 0) return { message: plain, suggestion: listOf(tools) };
  if (/^(?:tools?|mcp|servers?|call_?tool)$/i.test(name) && index.namespaces.size > 0) {
    return {
      message: plain,
      suggestion: `Tools are called as \`server.tool(...)\`; servers: ${serversOf(index)}.`,
    };
  }
  return { message: plain };
}

function unknownMember(
  node: ts.Node,
  message: string,
  checker: ts.TypeChecker,
  index: CatalogIndex,
): Said | undefined {
  // TypeScript marks the name of `a.b`, and the whole of `a["b"]`.
  const parent = ts.isElementAccessExpression(node) ? node : node.parent;
  if (!ts.isPropertyAccessExpression(parent) && !ts.isElementAccessExpression(parent)) return undefined;
  const owner = parent.expression;
  const member = ts.isPropertyAccessExpression(parent)
    ? parent.name.text
    : ts.isStringLiteralLike(parent.argumentExpression)
      ? parent.argumentExpression.text
      : undefined;
  if (member === undefined) return undefined;
  if (ts.isIdentifier(owner) && index.namespaces.has(owner.text) && isGlobal(owner, checker)) {
    const near = nearestTools(index, member, { namespace: owner.text });
    const [first] = near;
    const shown = bounded(member, 80);
    return {
      message:
        `\`${owner.text}\` has no tool \`${shown}\`.` +
        (first === undefined ? "" : ` Did you mean \`${nameOf(first)}\`?`),
      suggestion: first === undefined ? `Find tools with \`await catalog.search("...")\`.` : listOf(near),
    };
  }
  if (isPromise(checker.getTypeAtLocation(owner), checker)) return { message, suggestion: AWAIT };
  const names = checker
    .getPropertiesOfType(checker.getTypeAtLocation(owner))
    .map((property) => property.name);
  const meant = / Did you mean /.test(message) ? undefined : nearestName(names.slice(0, 500), member);
  if (meant !== undefined) return { message, suggestion: `Did you mean \`${meant}\`?` };
  const listed = names.filter((name) => !name.startsWith("__")).slice(0, 12);
  return {
    message,
    suggestion:
      listed.length > 0 && names.length <= 40
        ? `It has: ${listed.join(", ")}${names.length > 12 ? ", …" : ""}.`
        : undefined,
  };
}

/** The tool call whose arguments hold the node. */
function enclosingCall(node: ts.Node, checker: ts.TypeChecker, index: CatalogIndex): string | undefined {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return undefined;
    const name = calledTool(at, checker, index);
    if (name !== undefined) return name;
  }
  return undefined;
}

function signatureOf(call: string, index: CatalogIndex): string | undefined {
  const [namespace = "", ...members] = call.split(".");
  const identifier = members.join(".");
  const tool = index.namespaces.get(namespace)?.get(identifier);
  return tool === undefined ? undefined : signatureLine(tool);
}

/** TypeScript's message: the summary and its innermost reasons, with every printed type bounded. */
function shortened(text: string | ts.DiagnosticMessageChain): string {
  const lines = ts.flattenDiagnosticMessageText(text, "\n").split("\n");
  const kept = lines.length <= MAX_LINES ? lines : [lines[0] as string, ...lines.slice(1 - MAX_LINES)];
  return kept
    .map((line) => line.trim().replace(/'([^']*)'/g, (_, type: string) => `'${bounded(type, MAX_TYPE)}'`))
    .join("\n");
}

function listOf(tools: readonly CheckedTool[]): string {
  return `Nearest tools:\n${tools.map((tool) => bounded(signatureLine(tool), 220)).join("\n")}`;
}

function serversOf(index: CatalogIndex): string {
  const names = [...index.namespaces.keys()].sort();
  return `${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}`;
}

/** The innermost node that starts at `position`. */
function nodeAt(source: ts.SourceFile, position: number): ts.Node {
  let found: ts.Node = source;
  const visit = (node: ts.Node): void => {
    if (node.pos > position || node.end <= position) return;
    found = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
