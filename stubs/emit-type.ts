// Owns the text of a type tree.
import { commentText, firstSentence, propertyKey, quote } from "./emit-text.ts";
import type { DefinitionNode, ObjectNode, PropertyDoc, PropertyNode, TypeNode } from "./schema/type-tree.ts";

export type Docs = "none" | "summary" | "full";

export interface TypePrinter {
  readonly docs: Docs;
  /** What stands for a value of any kind: `unknown` in arguments, `any` in results, which are read. */
  readonly top: "unknown" | "any";
  /** How a named definition is written at this place. */
  readonly reference: (name: string) => string;
}

const SUMMARY = 160;
const FULL = 1_000;

/** A type on one line. */
export function printType(node: TypeNode, printer: TypePrinter): string {
  switch (node.kind) {
    case "unknown":
      return printer.top;
    case "never":
      return "never";
    case "primitive":
      return node.name;
    case "literal":
      return typeof node.value === "string" ? quote(node.value) : String(node.value);
    case "reference":
      return printer.reference(node.name);
    case "array":
      return `${operand(node.items, printer)}[]`;
    case "tuple":
      return printTuple(node, printer);
    case "object":
      return printObject(node, printer);
    case "union":
      return node.members.map((member) => operand(member, printer, "intersection")).join(" | ");
    case "intersection":
      return node.members.map((member) => operand(member, printer)).join(" & ");
  }
}

/** A named type as a declaration on one line. */
export function printDefinition({ name, type, doc }: DefinitionNode, printer: TypePrinter): string {
  return withComment(name, doc, `type ${name} = ${printType(type, printer)};`, printer.docs);
}

/** A type as a part of another one: a union among other types needs parentheses. */
function operand(node: TypeNode, printer: TypePrinter, bare?: "intersection"): string {
  const text = printType(node, printer);
  const compound = node.kind === "union" || node.kind === "intersection";
  return compound && node.kind !== bare ? `(${text})` : text;
}

function printTuple(node: Extract<TypeNode, { kind: "tuple" }>, printer: TypePrinter): string {
  const items = node.items.map((item, index) =>
    index < node.min ? printType(item, printer) : `${operand(item, printer)}?`,
  );
  if (node.rest !== undefined) items.push(`...${operand(node.rest, printer)}[]`);
  return `[${items.join(", ")}]`;
}

function printObject(node: ObjectNode, printer: TypePrinter): string {
  const { index } = node;
  if (node.properties.length === 0) {
    if (index === undefined) return "{}";
    // A named type may not mention itself inside Record<...>, only inside an index signature.
    const text = printType(index, printer);
    return mentionsName(index) ? `{ [k: string]: ${text} }` : `Record<string, ${text}>`;
  }
  const members = node.properties.map((property) => printProperty(property, printer));
  if (index !== undefined) members.push(`[k: string]: ${printer.top}`);
  return `{ ${members.join("; ")} }`;
}

function printProperty({ name, optional, type, doc }: PropertyNode, printer: TypePrinter): string {
  const text = `${propertyKey(name)}${optional ? "?" : ""}: ${printType(type, printer)}`;
  return withComment(name, doc, text, printer.docs);
}

function withComment(name: string, doc: PropertyDoc | undefined, text: string, docs: Docs): string {
  const comment = doc === undefined ? "" : propertyComment(name, doc, docs);
  return comment === "" ? text : `/** ${comment} */ ${text}`;
}

function propertyComment(name: string, doc: PropertyDoc, docs: Docs): string {
  if (docs === "none") return "";
  if (docs === "summary") {
    const sentence = firstSentence(doc.description ?? "", SUMMARY);
    return repeats(name, sentence) ? "" : sentence;
  }
  const words = commentText(doc.description ?? "", FULL);
  const facts = commentText(doc.constraints.join(", "), FULL);
  return [words, facts === "" ? "" : `[${facts}]`].filter((part) => part !== "").join(" ");
}

const FILLERS: ReadonlySet<string> = new Set(["the", "a", "an", "of", "to", "for", "this", "that", "its"]);

/** True when a description says no more than the name of its property. */
function repeats(name: string, sentence: string): boolean {
  const words = (text: string): string[] =>
    text
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== "" && !FILLERS.has(word));
  const known = new Set(words(name));
  return words(sentence).every((word) => known.has(word));
}

function mentionsName(node: TypeNode): boolean {
  switch (node.kind) {
    case "reference":
      return true;
    case "array":
      return mentionsName(node.items);
    case "tuple":
      return [...node.items, ...(node.rest === undefined ? [] : [node.rest])].some(mentionsName);
    case "object":
      return (
        node.properties.some(({ type }) => mentionsName(type)) ||
        (node.index !== undefined && mentionsName(node.index))
      );
    case "union":
    case "intersection":
      return node.members.some(mentionsName);
    default:
      return false;
  }
}
