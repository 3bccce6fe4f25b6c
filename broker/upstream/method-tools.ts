// Owns resources and prompts of a server as tools: their definitions, which are Callgate's own words.
import { isJsonObject, own, type JsonObject } from "../../contract/json.ts";
import { mcpMethod, MCP_METHODS, type MethodGroup } from "../../contract/methods.ts";
import type { ToolDefinition } from "../../contract/tool.ts";

const text = (description: string): JsonObject => ({ type: "string", description });
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
const cursor: JsonObject = { cursor: text("nextCursor of the answer before, when it had one.") };

const FACTS: Readonly<Record<string, { readonly description: string; readonly inputSchema: JsonObject }>> = {
  "resources/list": { description: "Lists the resources of the server.", inputSchema: object(cursor) },
  "resources/read": {
    description: "Reads a resource of the server by its URI.",
    inputSchema: object({ uri: text("URI of the resource.") }, ["uri"]),
  },
  "resources/templates/list": {
    description: "Lists the URI templates of resources of the server.",
    inputSchema: object(cursor),
  },
  "prompts/list": { description: "Lists the prompts of the server.", inputSchema: object(cursor) },
  "prompts/get": {
    description: "Gets a prompt of the server, filled with arguments.",
    inputSchema: object(
      {
        name: text("Name of the prompt."),
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      ["name"],
    ),
  },
};

/** The definitions for what a server declares. That they only read is a fact; whether the server is trusted is not. */
export function methodTools(
  server: string,
  declared: (group: MethodGroup) => boolean,
): readonly ToolDefinition[] {
  return MCP_METHODS.filter(({ group }) => declared(group)).map(({ name }) => ({
    server,
    name,
    ...(FACTS[name] as (typeof FACTS)[string]),
    annotations: { readOnlyHint: true },
  }));
}

/** Whether an item of a list that was kept is a tool of the server's own. */
export function isNoMethod(item: unknown): boolean {
  const name = isJsonObject(item) ? own(item, "name") : undefined;
  return typeof name !== "string" || mcpMethod(name) === undefined;
}

/** Of a list that was kept: what stands in it for resources and prompts, in Callgate's words of now. */
export function methodsAmong(server: string, kept: readonly unknown[]): readonly ToolDefinition[] {
  const names = kept.map((item) => (isJsonObject(item) ? own(item, "name") : undefined));
  const groups = new Set(
    names.map((name) => (typeof name === "string" ? mcpMethod(name)?.group : undefined)),
  );
  return methodTools(server, (group) => groups.has(group));
}
