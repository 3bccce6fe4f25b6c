// Owns the one order of a catalog: sorted, with the servers a conversation already knows kept first.
import type { NamedTool } from "../contract/tool.ts";

/** The tools of one server, in catalog order. */
export interface ServerGroup {
  readonly server: string;
  readonly namespace: string;
  readonly tools: readonly NamedTool[];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Groups tools by server, whatever their order of arrival: servers of `pinnedOrder` first and in that order, the others
 * by name; tools by raw name, compared by UTF-16 units, so that no locale changes the text.
 */
export function groupByServer(
  tools: readonly NamedTool[],
  pinnedOrder: readonly string[] = [],
): readonly ServerGroup[] {
  const groups = new Map<string, NamedTool[]>();
  for (const named of tools) {
    const group = groups.get(named.tool.server);
    if (group === undefined) groups.set(named.tool.server, [named]);
    else group.push(named);
  }
  const pinned = [...new Set(pinnedOrder)].filter((server) => groups.has(server));
  const others = [...groups.keys()].filter((server) => !pinned.includes(server)).toSorted(compare);
  return [...pinned, ...others].map((server) => {
    const sorted = (groups.get(server) as NamedTool[]).toSorted(
      (a, b) => compare(a.tool.name, b.tool.name) || compare(a.identifier, b.identifier),
    );
    return { server, namespace: (sorted[0] as NamedTool).namespace, tools: sorted };
  });
}
