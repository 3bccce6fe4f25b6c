// Owns the listing a model is given before it asks: all stubs, all names, or all servers, by a token budget.
import { counted, heading, shownName } from "./catalog-line.ts";
import type { ServerGroup } from "./catalog-order.ts";
import { stubBlock, stubOf } from "./catalog-stub.ts";
import { estimateTokens } from "./catalog-tokens.ts";
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
  const count = groups.reduce((sum, group) => sum + group.tools.length, 0);
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
  for (const { server, namespace, tools } of groups) {
    yield stubBlock(
      server,
      namespace,
      tools.map((named) => stubOf(named, "summary").text),
    );
  }
}

function namesLine({ server, namespace, tools }: ServerGroup): string {
  return `${heading(server, namespace)}: ${tools.map(shownName).join(", ")}`;
}

function serversText(groups: readonly ServerGroup[], budgetTokens: number): string {
  const lines: string[] = [];
  let tokens = estimateTokens(HEADS.servers);
  for (const { server, namespace, tools } of groups) {
    const line = `${heading(server, namespace)}: ${counted(tools.length, "tool")}`;
    tokens += estimateTokens(line) + 1;
    if (tokens > budgetTokens && lines.length > 0) break;
    lines.push(line);
  }
  const more = groups.slice(lines.length);
  if (more.length > 0) {
    const count = more.reduce((sum, group) => sum + group.tools.length, 0);
    lines.push(`and ${counted(more.length, "more server")} with ${counted(count, "tool")}`);
  }
  return [HEADS.servers, ...lines].join("\n");
}
