// Owns what a client sees of call_tool: its definition, and how its input is read.
import type { JsonObject, OneCall } from "../index.ts";
import { visibleLine } from "./visible.ts";

export const CALL_TOOL_INPUT: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {
    server: { type: "string", description: "Server name." },
    tool: { type: "string", description: "Tool name." },
    arguments: { type: "object", description: "The tool's arguments." },
  },
  required: ["server", "tool"],
  additionalProperties: false,
};

export const CALL_TOOL_DESCRIPTION: string =
  "Calls one tool and returns its whole result. For more than one call, or to filter a result, use run_script.";

/** A sentence when the input is none. */
export function parseCall(input: unknown): OneCall | string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "expected an object";
  const given = input as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((key) => !["server", "tool", "arguments"].includes(key));
  if (unknown !== undefined) return `there is no key ${JSON.stringify(visibleLine(unknown, 80))}`;
  const own = (key: string): unknown => (Object.hasOwn(given, key) ? given[key] : undefined);
  const server = own("server");
  const tool = own("tool");
  const args = own("arguments") ?? {};
  if (typeof server !== "string") return "server: expected a string";
  if (typeof tool !== "string") return "tool: expected a string";
  if (typeof args !== "object" || Array.isArray(args)) return "arguments: expected an object";
  return { server, tool, arguments: args as JsonObject };
}
