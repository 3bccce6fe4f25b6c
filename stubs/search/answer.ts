// Owns the text a search gives a model: hits grouped by server, or what there is when nothing matches.
import { quoted } from "../../contract/schema/printable.ts";
import type { Detail, NamedTool } from "../../contract/tool.ts";
import { callLine, callOf, counted, heading } from "../catalog-line.ts";
import type { ServerGroup } from "../catalog-order.ts";
import { stubBlocks } from "../catalog-stub.ts";

/** Stubs shown at most, UTF-16 units; further hits are named only. */
const MAX_STUBS = 16_000;
const MAX_SERVERS = 50;

export interface Answer {
  readonly query: string;
  readonly server: string | undefined;
  readonly found: readonly NamedTool[];
  readonly total: number;
  readonly detail: Detail;
  readonly notes: readonly string[];
}

/** The text of a result with hits. */
export function foundText({ query, server, found, total, detail, notes }: Answer): string {
  const { text, left } = stubBlocks(found, detail, MAX_STUBS);
  const where = server === undefined ? "" : ` on ${quoted(server)}`;
  const what = query.trim() === "" ? "" : ` for ${quoted(query)}`;
  const head = `${found.length} of ${counted(total, "tool")}${what}${where}, best first:`;
  const rest = left.map(callLine);
  if (rest.length > 0) rest.unshift("Signatures too long to show here:");
  return [head, text, ...rest, ...notes].filter((part) => part !== "").join("\n");
}

export interface Nothing {
  readonly query: string;
  readonly server: string | undefined;
  readonly serverExists: boolean;
  readonly groups: readonly ServerGroup[];
  readonly near: readonly NamedTool[];
  readonly notes: readonly string[];
}

/** The text of a result without hits: never a dead end. */
export function nothingText({ query, server, serverExists, groups, near, notes }: Nothing): string {
  const where = server === undefined ? "" : ` on ${quoted(server)}`;
  let said = query.trim() === "" ? "No query was given." : `No tool${where} matches ${quoted(query)}.`;
  if (server !== undefined && !serverExists) said = `There is no server ${quoted(server)}.`;
  const lines = groups
    .slice(0, MAX_SERVERS)
    .map(
      ({ server, namespace, tools }) => `${heading(server, namespace)} (${counted(tools.length, "tool")})`,
    );
  if (groups.length > MAX_SERVERS) lines.push(`and ${groups.length - MAX_SERVERS} more`);
  const servers = lines.length === 0 ? "No tools are connected." : `Servers: ${lines.join(", ")}.`;
  const names = near.length === 0 ? [] : [`Nearest names: ${near.map(callOf).join(", ")}.`];
  return [said, servers, ...names, ...notes].join("\n");
}
