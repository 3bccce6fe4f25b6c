// Owns the making of what the checker reads of a set of tools: their declarations and the signatures a model is shown.
import type { NamedTool } from "../../contract/tool.ts";
import { emitDeclarations, emitTool } from "../emit.ts";
import type { CatalogInput } from "./catalog-index.ts";

/** Tools as they were listed; the thread makes a `CatalogInput` of them, so that nobody waits for the text of 1,500 tools. */
export interface CatalogTools {
  /** Another one for other tools. */
  readonly hash: string;
  readonly named: readonly NamedTool[];
}

export function checkedTools({ hash, named }: CatalogTools): CatalogInput {
  return {
    hash,
    declarations: emitDeclarations(named, { docs: "none" }).text,
    tools: named.map((entry) => ({
      namespace: entry.namespace,
      identifier: entry.identifier,
      signature: emitTool(entry, { detail: "summary" }).text,
    })),
  };
}
