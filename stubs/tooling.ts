// Owns what scripts can name at one time: the catalog, the checker's declarations, the way back to raw names.
import { READ_CONTENT } from "../contract/content.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { BUILTIN_SERVER, CATALOG_METHODS, CATALOG_NAMESPACE } from "./catalog-calls.ts";
import type { Catalog, CatalogOptions } from "./catalog-types.ts";
import { createCatalog } from "./catalog.ts";
import type { CatalogTools } from "./check/checked-tools.ts";
import { assignNames, type NamePins } from "./names.ts";

export interface Tooling {
  readonly catalog: Catalog;
  readonly checked: CatalogTools;
  /** namespace → identifier → (server, raw tool name). */
  readonly manifest: ReadonlyMap<
    string,
    ReadonlyMap<string, { readonly server: string; readonly tool: string }>
  >;
  /** For the next assembly, so that no tool is ever renamed. */
  readonly pins: NamePins;
  readonly notes: readonly string[];
}

let assemblies = 0;

export function assembleTooling(
  tools: readonly ToolDefinition[],
  options: CatalogOptions,
  before: Tooling | undefined,
): Tooling {
  const { named, pins, notes } = assignNames(tools, before === undefined ? {} : { pinned: before.pins });
  // Servers a conversation has been told of keep their lines where they were.
  const pinnedOrder = before === undefined ? {} : { pinnedOrder: serversOf(before.catalog) };
  const catalog = createCatalog(named, { ...options, ...pinnedOrder });
  const manifest = new Map<string, Map<string, { server: string; tool: string }>>();
  for (const { namespace, identifier, tool } of catalog.tools) {
    const members = manifest.get(namespace) ?? new Map<string, { server: string; tool: string }>();
    members.set(identifier, { server: tool.server, tool: tool.name });
    manifest.set(namespace, members);
  }
  const builtins = CATALOG_METHODS.map((tool) => [tool, { server: BUILTIN_SERVER, tool }] as const);
  // Reached by handles, not by name: the guest's own `catalog` has no such method.
  const read = ["read", { server: BUILTIN_SERVER, tool: READ_CONTENT }] as const;
  manifest.set(CATALOG_NAMESPACE, new Map([...builtins, read]));
  // A number will do: an assembly is made when tools have changed, and hashing 1,500 of them takes long.
  const checked = { hash: String((assemblies += 1)), named: catalog.tools };
  return { catalog, checked, manifest, pins, notes };
}

/** True when both are the same definitions in the same order, so that nothing need be made anew. */
export function sameTools(left: readonly ToolDefinition[], right: readonly ToolDefinition[]): boolean {
  return left.length === right.length && left.every((tool, at) => tool === right[at]);
}

/** Calls that look like `namespace.identifier`, best first; undefined when `namespace` holds no tools. */
export function nearestCalls(
  tooling: Tooling,
): (namespace: string, identifier: string) => readonly string[] | undefined {
  return (namespace, identifier) =>
    tooling.manifest.has(namespace)
      ? tooling.catalog
          .near(`${namespace}.${identifier}`, 3)
          .map((near) => `${near.namespace}.${near.identifier}`)
      : undefined;
}

function serversOf(catalog: Catalog): readonly string[] {
  return [...new Set(catalog.tools.map(({ tool }) => tool.server))];
}
