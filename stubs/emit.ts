// Owns the text of tools: one as the model reads it, a whole set as declarations.
import type { Detail, NamedTool } from "../contract/tool.ts";
import { commentText, firstSentence } from "./emit-text.ts";
import { printDefinition, printType, type Docs, type TypePrinter } from "./emit-type.ts";
import { isMethod, methodDeclarations, methodStub } from "./methods.ts";
import { LOOSE_TOOL, toolType, type ToolType } from "./schema/tool-type.ts";
import { TYPE_LIMITS } from "./schema/build.ts";

export interface EmittedTool {
  readonly text: string;
  /** What was widened or left out, and why. */
  readonly notes: readonly string[];
}

const MAX_LENGTH = 64_000;
const NAME_SUMMARY = 68;
const SUMMARY = 200;
const FULL = 4_000;

/**
 * One tool as the model reads it: at `name` its callable name and one line, else its signature with
 * documentation. Deterministic; at most 64,000 UTF-16 units: what is larger loses documentation, then precision.
 */
export function emitTool(named: NamedTool, options: { readonly detail: Detail }): EmittedTool {
  const callable = `${named.namespace}.${named.identifier}`;
  const { detail } = options;
  const method = methodStub(named, detail);
  if (method !== undefined) return { text: method, notes: [] };
  if (detail === "name") {
    const line = emitOneLine(named);
    return { text: line === "" ? callable : `${callable} // ${line}`, notes: [] };
  }
  return bounded(named, detail, (tool, docs) => {
    const reference = (name: string): string => name;
    const lines = [`${callable}${signature(tool, docs, reference)}`];
    lines.push(...definitionsOf(tool, docs, reference));
    const comment = toolComment(named, detail);
    return [...(comment === "" ? [] : [comment]), ...lines].join("\n");
  });
}

/** What a tool does, in one line of at most 68 UTF-16 units, without a full stop; empty when nobody says. */
export function emitOneLine({ tool }: NamedTool): string {
  return firstSentence(tool.description ?? tool.title ?? "", NAME_SUMMARY).replace(/\.$/, "");
}

/**
 * A set of tools as `declare namespace` text, sorted by namespace and identifier. `docs: "none"` is what
 * the checker reads, `"summary"` and `"full"` are for readers. Notes begin with the tool they are about.
 */
export function emitDeclarations(
  named: readonly NamedTool[],
  options: { readonly docs: Docs },
): { readonly text: string; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const spaces = new Map<string, NamedTool[]>();
  for (const tool of named) {
    const members = spaces.get(tool.namespace);
    if (members === undefined) spaces.set(tool.namespace, [tool]);
    else members.push(tool);
  }
  const blocks: string[] = [];
  for (const namespace of [...spaces.keys()].toSorted()) {
    const members = (spaces.get(namespace) as NamedTool[]).toSorted((left, right) =>
      left.identifier < right.identifier ? -1 : 1,
    );
    const server = (members[0] as NamedTool).tool.server;
    const lines: string[] = [];
    if (server !== namespace && options.docs !== "none")
      lines.push(`/** server: ${commentText(server, 100)} */`);
    lines.push(`declare namespace ${namespace} {`);
    for (const member of members) {
      if (isMethod(member)) continue;
      const emitted = emitMember(member, options.docs);
      lines.push(emitted.text);
      notes.push(...emitted.notes.map((note) => `${namespace}.${member.identifier}: ${note}`));
    }
    lines.push(...methodDeclarations(members, options.docs !== "none"), "}");
    blocks.push(lines.join("\n"));
  }
  return { text: blocks.length === 0 ? "" : `${blocks.join("\n")}\n`, notes };
}

/** One tool as a member of its namespace. */
function emitMember(named: NamedTool, docs: Docs): EmittedTool {
  const { identifier } = named;
  return bounded(named, docs, (tool, level) => {
    const reference = (name: string): string => `${identifier}.${name}`;
    const lines = [`function ${identifier}${signature(tool, level, reference)};`];
    const definitions = definitionsOf(tool, level, reference);
    if (definitions.length > 0) {
      lines.push(`namespace ${identifier} {`, ...definitions, "}");
    }
    const comment = toolComment(named, docs);
    return [...(comment === "" ? [] : [comment]), ...lines].join("\n");
  });
}

/** Emits at the level asked for; a text that is too large is emitted again with less in it. */
function bounded(named: NamedTool, docs: Docs, emit: (tool: ToolType, docs: Docs) => string): EmittedTool {
  const full = toolType(named.tool);
  const text = emit(full, docs);
  if (text.length <= MAX_LENGTH) return { text, notes: full.notes };
  const bare = emit(full, "none");
  if (bare.length <= MAX_LENGTH) {
    return { text: bare, notes: [...full.notes, "The documentation is too large to show."] };
  }
  const small = toolType(named.tool, { ...TYPE_LIMITS, nodes: 100, depth: 4, literals: 20 });
  const least = emit(small, "none");
  const notes = [...small.notes, "The type is too large to show in full."];
  return { text: least.length <= MAX_LENGTH ? least : emit(LOOSE_TOOL, "none"), notes };
}

function signature(tool: ToolType, docs: Docs, reference: (name: string) => string): string {
  const input = printType(tool.input.type, { docs, top: "unknown", reference });
  const output =
    tool.output === undefined ? "any" : printType(tool.output.type, { docs, top: "any", reference });
  return `(input${tool.inputOptional ? "?" : ""}: ${input}): Promise<${output}>`;
}

function definitionsOf(tool: ToolType, docs: Docs, reference: (name: string) => string): readonly string[] {
  const sides = [
    { definitions: tool.input.definitions, top: "unknown" as const },
    { definitions: tool.output?.definitions ?? [], top: "any" as const },
  ];
  return sides.flatMap(({ definitions, top }) => {
    const printer: TypePrinter = { docs, top, reference };
    return definitions.map((definition) => printDefinition(definition, printer));
  });
}

function toolComment({ tool, identifier }: NamedTool, docs: Docs): string {
  if (docs === "none") return "";
  const description = tool.description ?? tool.title ?? "";
  const words = docs === "summary" ? firstSentence(description, SUMMARY) : commentText(description, FULL);
  const raw = identifier === tool.name ? "" : `mcp: ${commentText(tool.name, 130)}.`;
  const text = [raw, words].filter((part) => part !== "").join(" ");
  return text === "" ? "" : `/** ${text} */`;
}
