// Owns the reading of `tools/list`: what of a server's raw tools is usable, and what is said about the rest.
import { isJsonObject, own, type JsonObject } from "../../contract/json.ts";
import { mcpMethod } from "../../contract/methods.ts";
import type { ToolAnnotations, ToolDefinition } from "../../contract/tool.ts";
import { isDeeperThan } from "./depth.ts";
import { printable } from "./printable.ts";

const MAX_TOOLS = 20_000;
const MAX_NAME = 512;
const MAX_SCHEMA_DEPTH = 200;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  /** One sentence per tool that was dropped or repaired. */
  readonly notes: readonly string[];
  /** How long the server says that the list holds, ms; absent where the protocol has no such word. */
  readonly ttlMs?: number;
}

/**
 * Makes definitions of raw tools: one that cannot be used is dropped and named, a faulty optional part is left out,
 * of two with one name the first stays. `raw` may be anything; every tool is judged alone.
 */
export function readTools(server: string, raw: readonly unknown[]): ToolList {
  const tools = new Map<string, ToolDefinition>();
  const notes: string[] = [];
  raw.forEach((item, at) => {
    const read = readTool(server, item);
    if (typeof read === "string") {
      notes.push(`tool ${nameForNote(item, at)} was dropped: ${read}`);
    } else if (tools.has(read.tool.name)) {
      notes.push(`tool ${nameForNote(item, at)} is listed twice; the first is used`);
    } else if (tools.size >= MAX_TOOLS) {
      if (tools.size === MAX_TOOLS && !notes.includes(TOO_MANY)) notes.push(TOO_MANY);
    } else {
      tools.set(read.tool.name, read.tool);
      for (const repair of read.repairs) notes.push(`tool ${nameForNote(item, at)}: ${repair}`);
    }
  });
  return { tools: [...tools.values()], notes };
}

const TOO_MANY = `more than ${MAX_TOOLS} tools; the rest was dropped`;

function nameForNote(item: unknown, at: number): string {
  const name = isJsonObject(item) ? own(item, "name") : undefined;
  return typeof name === "string" && name !== "" ? JSON.stringify(printable(name, 80)) : `number ${at + 1}`;
}

function readTool(
  server: string,
  item: unknown,
): string | { readonly tool: ToolDefinition; readonly repairs: string[] } {
  if (!isJsonObject(item)) return "it is not an object";
  const name = own(item, "name");
  if (typeof name !== "string" || name === "") return "it has no name";
  // Security: names reach terminals and prompts; one that cannot be printed as it is cannot be approved either.
  if (name.length > MAX_NAME || printable(name, MAX_NAME) !== name) return "its name is not printable text";
  // Security: policy knows requests for resources and prompts by these names.
  if (mcpMethod(name) !== undefined) return "its name is that of a method of MCP";
  const execution = own(item, "execution");
  if (isJsonObject(execution) && execution["taskSupport"] === "required") {
    return "it runs only as a task, which Callgate does not do";
  }
  if (isDeeperThan(item, MAX_SCHEMA_DEPTH))
    return `its definition nests deeper than ${MAX_SCHEMA_DEPTH} levels`;
  const repairs: string[] = [];
  const inputSchema = readInputSchema(own(item, "inputSchema"), repairs);
  if (inputSchema === undefined) return "its inputSchema is not the schema of an object";
  const text = (key: "title" | "description"): { [K in typeof key]?: string } => {
    const value = own(item, key);
    if (value !== undefined && typeof value !== "string") repairs.push(`${key} is not text and was left out`);
    return typeof value === "string" ? { [key]: value.toWellFormed() } : {};
  };
  const output = own(item, "outputSchema");
  const hasOutput = isJsonObject(output);
  if (output !== undefined && !hasOutput) repairs.push("outputSchema is not an object and was left out");
  const annotations = readAnnotations(own(item, "annotations"), repairs);
  const tool: ToolDefinition = {
    server,
    name,
    ...text("title"),
    ...text("description"),
    inputSchema,
    ...(hasOutput ? { outputSchema: output } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { tool, repairs };
}

function readInputSchema(value: unknown, repairs: string[]): JsonObject | undefined {
  if (value === undefined || value === null || typeof value === "boolean") {
    repairs.push("inputSchema is missing; any object is accepted");
    return { type: "object" };
  }
  if (!isJsonObject(value)) return undefined;
  const type = own(value, "type");
  if (type === "object") return value;
  if (type === undefined || (Array.isArray(type) && type.includes("object"))) {
    if (Object.keys(value).length > 0)
      repairs.push('inputSchema does not say type "object"; read as if it did');
    return { ...value, type: "object" };
  }
  return undefined;
}

/** Security: a hint counts only when it is a real boolean; "yes" must not make a tool read-only. */
function readAnnotations(value: unknown, repairs: string[]): ToolAnnotations | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    repairs.push("annotations is not an object and was left out");
    return undefined;
  }
  const title = own(value, "title");
  const hints: [string, boolean][] = [];
  for (const hint of HINTS) {
    const given = own(value, hint);
    if (typeof given === "boolean") hints.push([hint, given]);
    else if (given !== undefined) repairs.push(`annotations.${hint} is not true or false and was left out`);
  }
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}
