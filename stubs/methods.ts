// Owns how resources and prompts of servers read to a model: `namespace.resources.read(uri)` and its kin.
import { mcpMethod, MCP_METHODS, type MethodGroup } from "../contract/methods.ts";
import type { Detail, NamedTool } from "../contract/tool.ts";

interface MethodStub {
  /** After the name. */
  readonly signature: string;
  /** In a listing, in place of the signature. */
  readonly short: string;
  readonly summary: string;
  readonly more: string;
}

const MORE = "Follow nextCursor, when there is one, with { cursor }.";
const STUBS: Readonly<Record<string, MethodStub>> = {
  "resources/list": {
    signature:
      "(input?: { cursor?: string }): Promise<{ resources: { uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number }[]; nextCursor?: string; notes?: string[] }>",
    short: "list()",
    summary: "Lists resources",
    more: MORE,
  },
  "resources/read": {
    signature: "(uri: string | { uri: string }): Promise<{ contents: any[]; notes?: string[] }>",
    short: "read(uri)",
    summary: "Reads a resource: contents of { uri, mimeType, text } or handles",
    more: "Text is in contents[i].text; binary contents are handles.",
  },
  "resources/templates/list": {
    signature:
      "(input?: { cursor?: string }): Promise<{ resourceTemplates: { uriTemplate: string; name: string; title?: string; description?: string; mimeType?: string }[]; nextCursor?: string; notes?: string[] }>",
    short: "templates()",
    summary: "Lists URI templates of resources",
    more: MORE,
  },
  "prompts/list": {
    signature:
      "(input?: { cursor?: string }): Promise<{ prompts: { name: string; title?: string; description?: string; arguments?: { name: string; description?: string; required?: boolean }[] }[]; nextCursor?: string; notes?: string[] }>",
    short: "list()",
    summary: "Lists prompts",
    more: MORE,
  },
  "prompts/get": {
    signature:
      "(name: string | { name: string; arguments?: Record<string, string> }, args?: Record<string, string>): Promise<{ description?: string; messages: { role: string; content: any }[]; notes?: string[] }>",
    short: "get(name, args?)",
    summary: "Gets a prompt: messages with content blocks",
    more: "Images and other binary content in messages are handles.",
  },
};

export function isMethod({ tool }: NamedTool): boolean {
  return mcpMethod(tool.name) !== undefined;
}

/** The stub at a detail; undefined for a tool. */
export function methodStub(named: NamedTool, detail: Detail): string | undefined {
  const stub = stubOf(named);
  if (stub === undefined) return undefined;
  const call = `${named.namespace}.${named.identifier}`;
  if (detail === "name") return `${call} // ${stub.summary}`;
  return `/** ${detail === "full" ? fullText(stub) : `${stub.summary}.`} */\n${call}${stub.signature}`;
}

/** Members of a group as text of declarations, and those that are none: the tools. */
export function methodDeclarations(members: readonly NamedTool[], documented: boolean): readonly string[] {
  const lines: string[] = [];
  for (const [group, methods] of groupsOf(members)) {
    const functions = methods.flatMap((named) => {
      const stub = stubOf(named);
      if (stub === undefined) return [];
      const comment = documented ? [`/** ${fullText(stub)} */`] : [];
      return [...comment, `function ${memberOf(named)}${stub.signature};`];
    });
    lines.push([`namespace ${group} {`, ...functions, "}"].join("\n"));
  }
  return lines;
}

/** One line for a server: `github.resources: list(), read(uri), templates()`; undefined when it has neither. */
export function methodLine(namespace: string, members: readonly NamedTool[]): string | undefined {
  const parts = [...groupsOf(members)].map(([group, methods]) => {
    const calls = methods.map((named) => stubOf(named)?.short ?? "").join(", ");
    return `${namespace}.${group}: ${calls}`;
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** The same for a listing of names: `resources.list/read/templates`. */
export function methodNames(members: readonly NamedTool[]): readonly string[] {
  return [...groupsOf(members)].map(([group, methods]) => `${group}.${methods.map(memberOf).join("/")}`);
}

const WORDS: Readonly<Record<MethodGroup, RegExp>> = {
  resources: /resource|templates|\buris?\b/i,
  prompts: /prompt/i,
};

/** Whether a query speaks of it. Every server has the same few: unasked they would only be in the way. */
export function isMeant(named: NamedTool, query: string): boolean {
  const method = mcpMethod(named.tool.name);
  return method === undefined || WORDS[method.group].test(query);
}

function groupsOf(members: readonly NamedTool[]): ReadonlyMap<string, readonly NamedTool[]> {
  const order = MCP_METHODS.map(({ name }) => name);
  const methods = members
    .filter(isMethod)
    .toSorted((left, right) => order.indexOf(left.tool.name) - order.indexOf(right.tool.name));
  return Map.groupBy(methods, ({ identifier }) => identifier.slice(0, identifier.lastIndexOf(".")));
}

function memberOf({ identifier }: NamedTool): string {
  return identifier.slice(identifier.lastIndexOf(".") + 1);
}

function stubOf({ tool }: NamedTool): MethodStub | undefined {
  return mcpMethod(tool.name) === undefined ? undefined : STUBS[tool.name];
}

function fullText({ summary, more }: MethodStub): string {
  return `${summary}. ${more}`;
}
