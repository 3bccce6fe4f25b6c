// Owns which tools scripts can name now: when lists are read again, and when what is made of them is made anew.
import type { ToolDefinition } from "../contract/tool.ts";
import type { CatalogOptions } from "./catalog-types.ts";
import type { CatalogTools } from "./check/checked-tools.ts";
import { mentions } from "./mentions.ts";
import { assembleTooling, sameTools, type Tooling } from "./tooling.ts";

/** Where the tools come from. */
export interface ToolSource {
  /** Lists the tools of servers that changed, and of those `needed` whose list is not of now. */
  load(needed: (server: string) => boolean): Promise<unknown>;
  /** As last listed, in the order of the servers. */
  tools(): readonly ToolDefinition[];
  /** Servers whose list is not of now. */
  outdated(): readonly string[];
  /** True when a server that could not list its tools may be able to now. */
  revived(): Promise<boolean>;
}

export interface CurrentTooling {
  now(): Tooling;
  /** The tools have changed, or may have: the next `fresh` lists them again. */
  outdate(): void;
  /** The tooling once changes are read, and the lists of servers that `script` mentions are of now. */
  fresh(script?: string): Promise<Tooling>;
}

/** `made` is told of each set of tools that scripts are checked against. */
export function createCurrentTooling(
  source: ToolSource,
  options: { readonly catalog: CatalogOptions; readonly made: (tools: CatalogTools) => void },
): CurrentTooling {
  let tools: readonly ToolDefinition[] = [];
  let stale = false;
  let reading: Promise<void> = Promise.resolve();
  let tooling = assemble(undefined);

  function assemble(before: Tooling | undefined): Tooling {
    tools = source.tools();
    const made = assembleTooling(tools, options.catalog, before);
    options.made(made.checked);
    return made;
  }

  async function load(needed: (server: string) => boolean): Promise<void> {
    await source.load(needed);
    if (!sameTools(source.tools(), tools)) tooling = assemble(tooling);
  }

  async function reload(): Promise<void> {
    if (!stale && !(await source.revived())) return;
    stale = false;
    await load(() => false);
  }

  return {
    now: () => tooling,
    outdate: () => (stale = true),
    async fresh(script = "") {
      // One at a time, so that who comes while changes are read has the new tools too.
      reading = reading.catch(() => {}).then(reload);
      await reading;
      // But nobody waits for a server that only another script mentions.
      const needed = mentions(script, tooling.pins);
      if (source.outdated().some(needed)) await load(needed);
      return tooling;
    },
  };
}
