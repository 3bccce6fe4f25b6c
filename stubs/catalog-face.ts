// Owns the catalog as the caller of a gate sees it: always that of the tools of now.
import { degradeInputSchema } from "../contract/schema/degrade.ts";
import type { ListedTool, SearchHit } from "./catalog-types.ts";
import { AMBIENT } from "./check/ambient.ts";
import type { DescribedTool, DescribeOptions, UnknownName } from "./describe.ts";
import { emitDeclarations } from "./emit.ts";
import type { Tooling } from "./tooling.ts";
import type { Detail, NamedTool } from "../contract/tool.ts";

export interface CatalogFace {
  search(
    query: string,
    options?: { readonly limit?: number; readonly server?: string; readonly detail?: Detail },
  ): Promise<readonly SearchHit[]>;
  /** Every tool, in catalog order. */
  list(options?: { readonly server?: string; readonly detail?: Detail }): readonly ListedTool[];
  /**
   * Every tool as its server defined it, in catalog order; `inputSchema` in the repaired form that arguments are checked
   * by: well formed, references local, nothing that a server may not ask for.
   */
  definitions(): readonly NamedTool[];
  /** Unknown names come back with `near`. */
  describe(
    names: readonly string[],
    options?: DescribeOptions,
  ): Promise<readonly (DescribedTool | UnknownName)[]>;
  /** The listing a model reads. */
  text(options?: { readonly budgetTokens?: number }): string;
  /** Declarations of every tool and guest global, for an editor. */
  declarations(): string;
}

/** `now`: of the tools as last listed; `fresh`: after tools that changed have been listed again. */
export function createCatalogFace(tooling: {
  readonly now: () => Tooling;
  readonly fresh: () => Promise<Tooling>;
}): CatalogFace {
  const { now, fresh } = tooling;
  return {
    search: async (query, options) => (await (await fresh()).catalog.search(query, options)).hits,
    list: (options) => now().catalog.list(options),
    definitions: () =>
      now().catalog.tools.map((named) => {
        const { schema } = degradeInputSchema(named.tool.inputSchema);
        return { ...named, tool: { ...named.tool, inputSchema: schema } };
      }),
    describe: async (names, options) => {
      const found = (await fresh()).catalog.describe(names, options);
      return [...found.tools, ...found.unknown];
    },
    text: (options) => now().catalog.text(options).text,
    declarations: () => {
      const { text } = emitDeclarations(now().catalog.tools, { docs: "full" });
      return `${AMBIENT.trim()}\n\n${text}`;
    },
  };
}
