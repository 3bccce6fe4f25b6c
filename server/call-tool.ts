// Owns call_tool: one call of one tool, made by a script of one call, so that it takes the same path as every other.
import { Buffer } from "node:buffer";
import type { Gate, JsonValue, RunResult } from "../index.ts";
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

export interface OneCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonValue;
}

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
  return { server, tool, arguments: args as JsonValue };
}

/**
 * The script that makes the call. Security: names and arguments are in it only as one JSON text inside one string
 * literal, which JavaScript and JSON read alike.
 */
export function callScript(call: {
  readonly namespace: string;
  readonly identifier: string;
  readonly arguments: JsonValue;
}): string {
  const { namespace, identifier, arguments: args } = call;
  const literal = JSON.stringify(JSON.stringify([namespace, identifier, args])).replace(
    /[\u2028\u2029]/g,
    (one) => (one === "\u2028" ? "\\u2028" : "\\u2029"),
  );
  return [
    `const [namespace, identifier, input] = JSON.parse(${literal});`,
    "const result = await globalThis[namespace][identifier](input);",
    'return typeof result === "string" ? result : JSON.stringify(result);',
  ].join("\n");
}

/** Resolves to the run, or to what is wrong with the name. */
export async function callTool(
  gate: Gate,
  call: OneCall,
  options: Parameters<Gate["run"]>[1],
): Promise<RunResult | string> {
  const name = `${call.server}.${call.tool}`;
  const found = await gate.catalog.describe([name], { detail: "name" });
  const known = found.filter((one) => "identifier" in one);
  const exact = known.find(({ server, tool }) => server === call.server && tool === call.tool);
  // Another spelling will do while it can mean one tool only.
  const match = exact ?? (known.length === 1 ? known[0] : undefined);
  if (match === undefined) {
    const near = found.flatMap((one) => ("near" in one ? one.near : [one.call]));
    const hint = near.length === 0 ? "Find one with search_tools." : `Nearest: ${near.join(", ")}.`;
    return `CALL_UNKNOWN_TOOL: there is no tool ${visibleLine(name, 200)}. ${hint}`;
  }
  const script = callScript({ ...match, arguments: call.arguments });
  // The broker bounds the arguments themselves; the limit of scripts is for scripts that somebody wrote.
  const limits = { scriptBytes: Buffer.byteLength(script) + 1_024 };
  return gate.run(script, { ...options, check: "off", limits });
}

/** Positions are those of a script that the model did not write, and are left out. */
export function callText({ output, error }: RunResult): string {
  if (error === undefined) return output;
  return [output, `${error.code}: ${error.message}`].filter((part) => part !== "").join("\n\n");
}
