// Owns a JSONC text as a value whose every part knows its line and column.
import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type JSONPath,
  type Node,
  type ParseError,
} from "jsonc-parser";

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The line itself. */
  readonly source: string;
}

export interface Document {
  readonly value: unknown;
  /** Where a part of the value is; the nearest part above it when it has none of its own. */
  positionOf(path: JSONPath): Position;
  /** The same for a path in words (`mcpServers.files.args[0]`), whose names may hold dots. */
  positionOfText(path: string): Position;
}

/** A text that is not JSONC, with the place of the first mistake. */
export class DocumentProblem extends Error {
  readonly position: Position;
  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

/** Comments and trailing commas are allowed; a key written twice is not. Throws DocumentProblem. */
export function parseDocument(written: string): Document {
  const text = written.startsWith("\ufeff") ? written.slice(1) : written;
  const at = (offset: number): Position => positionAt(text, offset);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root === undefined) throw new DocumentProblem("expected an object, the file is empty", at(0));
  if (first !== undefined) throw new DocumentProblem(words(first), at(first.offset));
  return documentOf(root, text);
}

/** A tree of the text, however it was read. */
export function documentOf(root: Node, text: string): Document {
  const at = (offset: number): Position => positionAt(text, offset);
  return {
    value: valueOf(root, at),
    positionOf(path) {
      for (let length = path.length; ; length -= 1) {
        const node = length === 0 ? root : findNodeAtLocation(root, path.slice(0, length));
        if (node !== undefined)
          return at(node.parent?.type === "property" ? node.parent.offset : node.offset);
      }
    },
    positionOfText(path) {
      const node = walk(root, path);
      return at(node.parent?.type === "property" ? node.parent.offset : node.offset);
    },
  };
}

// Security: not the parser's own conversion, which assigns by name and so lets `__proto__` set a prototype.
function valueOf(node: Node, at: (offset: number) => Position): unknown {
  const children = node.children ?? [];
  if (node.type === "array") return children.map((child) => valueOf(child, at));
  if (node.type !== "object") return node.value;
  const entries = new Map<string, unknown>();
  for (const { children: pair, offset } of children) {
    const [key, value] = pair ?? [];
    if (key === undefined || value === undefined) throw new DocumentProblem("expected a value", at(offset));
    const name = key.value as string;
    if (entries.has(name))
      throw new DocumentProblem(`the key ${JSON.stringify(name)} is written twice`, at(offset));
    entries.set(name, valueOf(value, at));
  }
  return Object.fromEntries(entries);
}

/** Follows a path in words as far as it leads, longest names first. */
function walk(node: Node, path: string): Node {
  const rest = path.replace(/^\./, "");
  if (rest === "") return node;
  if (node.type === "array") {
    const [whole, index] = /^\[(\d{1,9})\]/.exec(rest) ?? [];
    const item = node.children?.[Number(index)];
    return whole === undefined || item === undefined ? node : walk(item, rest.slice(whole.length));
  }
  const named = (node.children ?? [])
    .map(({ children: pair }) => ({ name: String(pair?.[0]?.value), value: pair?.[1] }))
    .flatMap(({ name, value }) => [name, `[${JSON.stringify(name)}]`].map((spelled) => ({ spelled, value })))
    .filter(({ spelled }) => rest.startsWith(spelled) && /^(?:$|[.[])/.test(rest.slice(spelled.length)))
    .toSorted((a, b) => b.spelled.length - a.spelled.length)[0];
  return named?.value === undefined ? node : walk(named.value, rest.slice(named.spelled.length));
}

function words({ error }: ParseError): string {
  const name = printParseErrorCode(error).replaceAll(
    /(?<!^)([A-Z])/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  const sentence = name.toLowerCase();
  return sentence.endsWith(" expected") ? `expected ${sentence.slice(0, -" expected".length)}` : sentence;
}

/** Of an offset in UTF-16 units. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  const source = text.split(/\r\n|\r|\n/)[before.length - 1] ?? "";
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, source };
}
