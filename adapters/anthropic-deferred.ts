// Owns the catalog as tools that Anthropic's own tool search finds: names and schemas it accepts, and the way back.
import { createHash } from "node:crypto";
import type Anthropic from "@anthropic-ai/sdk";
import type { Gate, JsonObject, JsonValue, OneCall } from "../index.ts";

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

const NAME_LENGTH = 64;
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
    /[^a-zA-Z0-9_-]/g,
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

/** One name the API accepts for each path; paths whose plain names are the same or too long end in a hash. */
function uniqueNames(paths: readonly (readonly string[])[], refused: RegExp): readonly string[] {
  const plain = paths.map((path) => path.join("__").replace(refused, "_"));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    if (counts.get(name) === 1 && name.length <= NAME_LENGTH && name !== "") return name;
    const hash = createHash("sha256").update(JSON.stringify(paths[index])).digest("hex").slice(0, 8);
    return `${name.slice(0, NAME_LENGTH - 9)}_${hash}`;
  });
}

/**
 * One tool that the API refuses fails the whole request. It wants an object without a choice at the top, and plain names
 * of properties there. The broker still checks the arguments by the schema as it was.
 */
function acceptedSchema(original: JsonObject): {
  readonly schema: JsonObject;
  readonly keys: ReadonlyMap<string, string>;
} {
  const { anyOf, oneOf, allOf, required, ...rest } = original;
  const choices = [allOf, oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? (list as JsonValue[]) : []));
  const properties = [
    ...new Map([...choices, original].flatMap((part) => Object.entries(propertiesOf(part)))),
  ];
  const shown = uniqueNames(
    properties.map(([key]) => [key]),
    /[^a-zA-Z0-9_.-]/g,
  );
  const keys = new Map(properties.map(([key], index) => [shown[index] ?? key, key]));
  const renamed = new Map([...keys].map(([name, key]) => [key, name]));
  const needed = Array.isArray(required) ? required.map((key) => renamed.get(String(key)) ?? key) : [];
  const schema = {
    ...rest,
    type: "object",
    properties: Object.fromEntries(properties.map(([key, value]) => [renamed.get(key) ?? key, value])),
    ...(needed.length > 0 && { required: needed }),
  };
  return { schema, keys };
}

function propertiesOf(schema: JsonValue): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
