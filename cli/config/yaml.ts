// Owns YAML as a document: the same tree as JSON, each part with its place. Loaded only when a YAML file is read.
import type { Node as TreeNode } from "jsonc-parser";
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node } from "yaml";
import { documentOf, DocumentProblem, positionAt, type Document } from "./document.ts";

const MAX_DEPTH = 100;
const WORDS: ReadonlyMap<string, string> = new Map([
  ["DUPLICATE_KEY", "a key is written twice"],
  ["MULTIPLE_DOCS", "expected one document, there are several"],
]);

/**
 * YAML 1.2, core schema, one document. What JSON has not is a mistake: anchors, tags, keys that are no text, numbers
 * that are none. Throws DocumentProblem.
 */
export function parseYaml(written: string): Document {
  const text = written.startsWith("\ufeff") ? written.slice(1) : written;
  const fail = (message: string, offset: number): never => {
    throw new DocumentProblem(message, positionAt(text, offset));
  };
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, prettyErrors: false });
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    return fail(WORDS.get(first.code) ?? lowered(first.message), first.pos[0]);
  }
  if (document.contents === null) return fail("expected an object, the file is empty", 0);
  return documentOf(convert(document.contents, 0, 0, fail), text);
}

function convert(
  node: Node,
  depth: number,
  before: number,
  fail: (message: string, offset: number) => never,
): TreeNode {
  const [offset, end] = node.range ?? [before, before];
  const place = { offset, length: end - offset };
  if (depth > MAX_DEPTH) return fail(`expected at most ${MAX_DEPTH} levels`, offset);
  // Security: an alias repeats a part without writing it, which makes a small file a huge policy.
  if (isAlias(node) || node.anchor !== undefined)
    return fail("anchors and aliases are not read here; write the value out", offset);
  if (isSeq(node)) {
    const children = node.items.map((item) => convert(item as Node, depth + 1, offset, fail));
    return adopt({ type: "array", ...place, children });
  }
  if (isMap(node)) {
    const children = node.items.map(({ key, value }): TreeNode => {
      const name = key as Node | null;
      const at = name?.range?.[0] ?? offset;
      if (name === null || !isScalar(name)) return fail("expected a key that is a text", at);
      if (typeof name.value !== "string") return fail("expected a key in quotes; this one is no text", at);
      const keyNode = convert(name, depth + 1, at, fail);
      const valueNode: TreeNode =
        value === null
          ? { type: "null", offset: at, length: 0, value: null }
          : convert(value as Node, depth + 1, at, fail);
      return adopt({ type: "property", offset: at, length: 0, children: [keyNode, valueNode] });
    });
    return adopt({ type: "object", ...place, children });
  }
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null) return { type: "null", ...place, value };
  if (typeof value === "string") return { type: "string", ...place, value };
  if (typeof value === "boolean") return { type: "boolean", ...place, value };
  if (typeof value === "number" && Number.isFinite(value)) return { type: "number", ...place, value };
  return fail("expected a value that JSON has too", offset);
}

function adopt(node: TreeNode): TreeNode {
  for (const child of node.children ?? []) Object.assign(child, { parent: node });
  return node;
}

function lowered(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
