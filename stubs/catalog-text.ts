// Owns the listing a model is given before it asks: all stubs, all names, or all servers, by a token budget.
import { counted, heading, shownName } from "./catalog-line.ts";
import type { ServerGroup } from "./catalog-order.ts";
import { stubBlock, stubOf } from "./catalog-stub.ts";
import { estimateTokens } from "./catalog-tokens.ts";
import type { NamedTool } from "../contract/tool.ts";
import { isMethod, methodLine, methodNames } from "./methods.ts";
import type { CatalogText } from "./catalog-types.ts";

// The first lines hold no counts: a server more must leave every earlier byte in place.
const LOOK_UP = "search_tools and get_tool_details (in a script: catalog.search and catalog.describe)";
const HEADS = {
  inline: "COMPLETE list of tools. In a script, call them as written here: `await namespace.name({ ... })`.",
  names:
    "COMPLETE list of tool names, without signatures. Call a tool in a script as `await namespace.name({ ... })`, " +
    `after looking up its signature with ${LOOK_UP}.`,
  servers:
    "PARTIAL list: only servers and how many tools each has. Find tools by what they do, and their signatures, " +
    `with ${LOOK_UP}.`,
} as const;
/** Spares the work of writing thousands of stubs that cannot fit. */
const LEAST_STUB_TOKENS = 8;

/** The fullest form that fits. `servers` always answers: what does not fit is counted, never dropped in silence. */
export function emitCatalogText(groups: readonly ServerGroup[], budgetTokens: number): CatalogText {
  if (groups.length === 0) return finished("inline", "No tools are connected.", true);
  const count = groups.reduce((sum, group) => sum + toolsOf(group).length, 0);
  const mayFit = count * LEAST_STUB_TOKENS <= budgetTokens;
  const inline = mayFit ? joined(HEADS.inline, inlineBlocks(groups), budgetTokens) : undefined;
  if (inline !== undefined) return finished("inline", inline, true);
  const names = joined(HEADS.names, groups.map(namesLine).values(), budgetTokens);
  if (names !== undefined) return finished("names", names, true);
  return finished("servers", serversText(groups, budgetTokens), false);
}

function finished(form: CatalogText["form"], text: string, complete: boolean): CatalogText {
  return { text, form, complete, tokens: estimateTokens(text) };
}

/** Head and parts as one text, or undefined as soon as they cannot fit. */
function joined(head: string, parts: IteratorObject<string>, budgetTokens: number): string | undefined {
  const taken = [head];
  let tokens = 0;
  for (const part of parts) {
    taken.push(part);
    tokens += estimateTokens(part);
    if (tokens > budgetTokens * 1.1) return undefined;
  }
  const text = taken.join("\n");
  return estimateTokens(text) <= budgetTokens ? text : undefined;
}

function* inlineBlocks(groups: readonly ServerGroup[]): Generator<string> {
  for (const group of groups) {
    const { server, namespace, tools } = group;
    const stubs = toolsOf(group).map((named) => stubOf(named, "summary").text);
    const more = methodLine(namespace, tools);
    yield stubBlock(server, namespace, more === undefined ? stubs : [...stubs, more]);
  }
}

function namesLine(group: ServerGroup): string {
  const names = [...toolsOf(group).map(shownName), ...methodNames(group.tools)];
  return `${heading(group.server, group.namespace)}: ${names.join(", ")}`;
}

function toolsOf({ tools }: ServerGroup): readonly NamedTool[] {
  return tools.some(isMethod) ? tools.filter((named) => !isMethod(named)) : tools;
}

function serversText(groups: readonly ServerGroup[], budgetTokens: number): string {
  const lines: string[] = [];
  let tokens = estimateTokens(HEADS.servers);
  for (const group of groups) {
    const { server, namespace, tools } = group;
    const more = methodNames(tools).map((names) => `, ${names}`);
    const line = `${heading(server, namespace)}: ${counted(toolsOf(group).length, "tool")}${more.join("")}`;
    tokens += estimateTokens(line) + 1;
    if (tokens > budgetTokens && lines.length > 0) break;
    lines.push(line);
  }
  const more = groups.slice(lines.length);
  if (more.length > 0) {
    const count = more.reduce((sum, group) => sum + toolsOf(group).length, 0);
    lines.push(`and ${counted(more.length, "more server")} with ${counted(count, "tool")}`);
  }
  return [HEADS.servers, ...lines].join("\n");
}
