// Owns the catalog as tools that Anthropic's own tool search finds: names and schemas it accepts, and the way back.
import type Anthropic from "@anthropic-ai/sdk";
import type { Gate, OneCall } from "../index.ts";
import { acceptedSchema, isObject, REFUSED_IN_NAMES, uniqueNames } from "./anthropic-accepted.ts";

export interface DeferredTools {
  /** The tool search, then every tool with `defer_loading`. */
  readonly tools: readonly Anthropic.ToolUnion[];
  /** What a model that uses a name of `tools` wants; undefined for other names. */
  call(name: string, input: unknown): OneCall | undefined;
}

interface Deferred {
  readonly server: string;
  readonly tool: string;
  /** Names of properties as the model sees them → as the tool has them. */
  readonly keys: ReadonlyMap<string, string>;
}

const SEARCH: Readonly<Record<"bm25" | "regex", Anthropic.ToolUnion>> = {
  bm25: { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
  regex: { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
};

/**
 * The tools of now, for hosts that prefer the provider's tool search: one call each, no script. A tool is named
 * `server__tool`, in at most 64 of the characters the API allows. Give the result to `handleToolUse` as `deferred`.
 */
export function deferredTools(
  gate: Gate,
  options: { readonly search?: "bm25" | "regex" } = {},
): DeferredTools {
  const definitions = gate.catalog.definitions().map(({ tool }) => tool);
  const names = uniqueNames(
    definitions.map(({ server, name }) => [server, name]),
    REFUSED_IN_NAMES,
  );
  const byName = new Map<string, Deferred>();
  const tools: Anthropic.ToolUnion[] = [SEARCH[options.search ?? "bm25"]];
  definitions.forEach(({ server, name: tool, description, inputSchema }, index) => {
    const name = names[index] ?? "";
    const { schema, keys } = acceptedSchema(inputSchema);
    byName.set(name, { server, tool, keys });
    const input_schema = schema as Anthropic.Tool["input_schema"];
    tools.push({
      name,
      ...(description !== undefined && { description }),
      input_schema,
      defer_loading: true,
    });
  });
  return {
    tools,
    call(name, input) {
      const found = byName.get(name);
      if (found === undefined) return undefined;
      // The API sends objects; what else could come is for the tool's own schema to refuse.
      const entries = Object.entries(isObject(input) ? input : {});
      const given = entries.map(([key, value]) => [found.keys.get(key) ?? key, value] as const);
      return { server: found.server, tool: found.tool, arguments: Object.fromEntries(given) };
    },
  };
}
