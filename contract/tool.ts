// Owns the shape of a tool as its server defined it, and as a script names it.
import type { JsonObject } from "./json.ts";

/** Hints of MCP `tools/list`; untrusted unless the policy trusts the server. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** One tool. Policy, approvals, audit and cache key it by (`server`, `name`). */
export interface ToolDefinition {
  /** The configured server name, never `serverInfo.name`. */
  readonly server: string;
  /** The raw tool name, exactly as the server sent it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
}

/** A tool with the identifiers a script calls it by: `namespace.identifier(...)`. */
export interface NamedTool {
  readonly tool: ToolDefinition;
  readonly namespace: string;
  readonly identifier: string;
}

/** How much of a tool a listing shows. */
export type Detail = "name" | "summary" | "full";
