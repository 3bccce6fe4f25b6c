// Owns what to say about a string that is not one of the choices its place allows.
import ts from "typescript";
import { nearestName } from "./catalog-index.ts";
import { bounded } from "./text.ts";

const MAX_CHOICES = 12;

/** `"opne" is not one of "open", "closed".` or undefined when the value is no string with a closed set of choices. */
export function explainChoice(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  const value =
    ts.isPropertyAssignment(node.parent) && node.parent.name === node ? node.parent.initializer : node;
  if (!ts.isStringLiteralLike(value)) return undefined;
  const contextual = checker.getContextualType(value);
  const wanted = contextual === undefined ? undefined : checker.getNonNullableType(contextual);
  const members = wanted?.isUnion() === true ? wanted.types : wanted === undefined ? [] : [wanted];
  const choices = members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
  if (choices.length === 0 || choices.length !== members.length || choices.includes(value.text))
    return undefined;
  const meant = nearestName(choices.slice(0, 500), value.text);
  const shown = choices.slice(0, MAX_CHOICES).map(quoted);
  const rest = choices.length > MAX_CHOICES ? ` and ${choices.length - MAX_CHOICES} more` : "";
  const question = meant === undefined ? "" : ` Did you mean ${quoted(meant)}?`;
  return `${quoted(value.text)} is not one of ${shown.join(", ")}${rest}.${question}`;
}

function quoted(text: string): string {
  return JSON.stringify(bounded(text, 60));
}
