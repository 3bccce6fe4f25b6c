// Owns the requests of MCP besides tools that scripts can make: how policy, audit and scripts name them.

/** Of what a server declares; a member of `namespace.<group>`. */
export type MethodGroup = "resources" | "prompts";

export interface McpMethod {
  /** The method of MCP, in the place of a raw tool name. No tool of a server can have it. */
  readonly name: string;
  readonly group: MethodGroup;
  /** As in `namespace.resources.read`. */
  readonly member: string;
}

export const MCP_METHODS: readonly McpMethod[] = [
  { name: "resources/list", group: "resources", member: "list" },
  { name: "resources/read", group: "resources", member: "read" },
  { name: "resources/templates/list", group: "resources", member: "templates" },
  { name: "prompts/list", group: "prompts", member: "list" },
  { name: "prompts/get", group: "prompts", member: "get" },
];

const byName: ReadonlyMap<string, McpMethod> = new Map(MCP_METHODS.map((method) => [method.name, method]));

/** Undefined for the name of a tool. */
export function mcpMethod(name: string): McpMethod | undefined {
  return byName.get(name);
}
