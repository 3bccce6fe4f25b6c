// Owns local functions as an upstream like any other.
import { z } from "zod";
import { CallgateError } from "../../contract/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { raced, systemClock, type Clock } from "./clock.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { LocalTool } from "./define-tool.ts";
import { printable } from "./printable.ts";
import type { Upstream, UpstreamCallOptions, UpstreamResult } from "./upstream.ts";

export { defineTool, type LocalTool, type LocalToolContext } from "./define-tool.ts";

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_MESSAGE = 4096;

/**
 * Makes an upstream of local functions, named `namespace`. Throws `CONFIG_INVALID` naming the tool whose name or schema
 * cannot be used. Calls behave as an MCP server's: a throwing function is an `isError` result with its message alone.
 */
export function createLocalUpstream(
  namespace: string,
  tools: Readonly<Record<string, LocalTool>>,
  options: { readonly clock?: Clock } = {},
): Upstream {
  const clock = options.clock ?? systemClock;
  const local = new Map(Object.entries(tools));
  const definitions = [...local].map(([name, tool]) => definitionOf(namespace, name, tool));
  const life = new AbortController();
  const refuseWhenDisposed = (): void => {
    if (life.signal.aborted)
      throw new CallgateError("DISPOSED", `${namespace} was disposed; no call can be made`);
  };
  return {
    server: namespace,
    async tools() {
      refuseWhenDisposed();
      return definitions;
    },
    age: () => ({ known: true, outdated: false, confirmed: true, stated: true }),
    async call(definition, args, callOptions) {
      refuseWhenDisposed();
      const tool = local.get(definition.name);
      if (tool === undefined) {
        throw new CallgateError(
          "CALL_TOOL_ERROR",
          `${namespace} has no tool ${JSON.stringify(printable(definition.name))}`,
          { data: { server: namespace, tool: definition.name, sent: false, unknownTool: true } },
        );
      }
      using deadline = createDeadline({
        signals: [callOptions.signal, life.signal],
        timeoutMs: callOptions.timeoutMs,
        clock,
      });
      let sent = false;
      try {
        const work = perform(tool, args, callOptions, deadline, () => (sent = true));
        return await raced(work, deadline.signal);
      } catch {
        const ended = deadline.ended() === "timeout" ? "CALL_TIMEOUT" : "CALL_CANCELLED";
        const what =
          ended === "CALL_TIMEOUT" ? `gave no answer within ${callOptions.timeoutMs} ms` : "was cancelled";
        throw new CallgateError(ended, `${namespace}.${definition.name} ${what}`, {
          data: { server: namespace, tool: definition.name, sent },
        });
      }
    },
    status: () => ({ server: namespace, state: life.signal.aborted ? "closed" : "ready", notes: [] }),
    onToolsChanged() {
      // Local functions never change.
    },
    async [Symbol.asyncDispose]() {
      life.abort(new Error("disposed"));
    },
  };
}

/** Never rejects: whatever goes wrong in the function is its answer. */
async function perform(
  tool: LocalTool,
  args: JsonObject,
  options: UpstreamCallOptions,
  deadline: Deadline,
  onSend: () => void,
): Promise<UpstreamResult> {
  let done = false;
  try {
    deadline.signal.throwIfAborted();
    let input: unknown = args;
    if (isZod(tool.input)) {
      const parsed = await tool.input.safeParseAsync(args);
      if (!parsed.success) return failure(`invalid arguments: ${issuesOf(parsed.error)}`);
      input = parsed.data;
    }
    onSend();
    const value: unknown = await tool.run(input, {
      principal: options.principal ?? "default",
      signal: deadline.signal,
      progress(progress, total, message) {
        if (done || deadline.signal.aborted) return;
        deadline.extend();
        options.onProgress?.({
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        });
      },
    });
    return await answer(tool, value);
  } catch (error) {
    return failure(messageOf(error));
  } finally {
    done = true;
  }
}

async function answer(tool: LocalTool, value: unknown): Promise<UpstreamResult> {
  let out = value;
  if (tool.output !== undefined && isZod(tool.output)) {
    const parsed = await tool.output.safeParseAsync(value);
    // A value that does not match goes on as it is: the check of results reports it, and the effect is done.
    if (parsed.success) out = parsed.data;
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(out);
  } catch (error) {
    return failure(`the tool returned a value that JSON cannot hold: ${messageOf(error)}`);
  }
  if (text === undefined && out !== undefined) {
    return failure(`the tool returned a ${typeof out}, which JSON cannot hold`);
  }
  // Nothing, as JSON can say it.
  text ??= "null";
  // Security: the script gets a copy made through text, so no object of the host is shared and `__proto__` is data.
  return { content: [], structuredContent: JSON.parse(text) as JsonValue, isError: false, notes: [] };
}

function failure(message: string): UpstreamResult {
  const text = message.slice(0, MAX_MESSAGE).toWellFormed();
  return { content: [{ type: "text", text }], isError: true, notes: [] };
}

// Security: stack, cause and own properties of an error may hold paths and secrets; the message alone is for the script.
function messageOf(error: unknown): string {
  try {
    const message: unknown = typeof error === "string" ? error : (error as Error | undefined)?.message;
    return typeof message === "string" && message !== "" ? message : "the tool failed without a message";
  } catch {
    return "the tool failed without a message";
  }
}

function issuesOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`))
    .join("; ");
}

function isZod(schema: LocalTool["input"]): schema is z.ZodType {
  return "_zod" in schema;
}

function definitionOf(namespace: string, name: string, tool: LocalTool): ToolDefinition {
  const where = `tools.${printable(namespace, 64)}.${printable(name, 64)}`;
  if (!NAME.test(namespace) || !NAME.test(name)) {
    throw invalid(where, "namespaces and tool names are 1 to 128 characters of A-Z a-z 0-9 _ . -");
  }
  checkTool(tool, where);
  const inputSchema = schemaOf(tool.input, "input", where);
  const root = inputSchema["type"];
  if (root !== undefined && root !== "object")
    throw invalid(`${where}.input`, "must be the schema of an object");
  const outputSchema = tool.output === undefined ? undefined : schemaOf(tool.output, "output", where);
  return {
    server: namespace,
    name,
    description: tool.description,
    inputSchema: root === undefined ? { type: "object", ...inputSchema } : inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
}

const KEYS: ReadonlySet<string> = new Set(["description", "input", "output", "annotations", "run"]);

function checkTool(tool: LocalTool, where: string): void {
  if (typeof tool !== "object" || tool === null) throw invalid(where, "expected a tool made with defineTool");
  for (const key of Object.keys(tool)) {
    if (!KEYS.has(key))
      throw invalid(`${where}.${printable(key, 64)}`, `no such key; there are ${[...KEYS].join(", ")}`);
  }
  if (typeof tool.description !== "string") throw invalid(`${where}.description`, "expected a text");
  if (typeof tool.run !== "function") throw invalid(`${where}.run`, "expected a function");
}

function schemaOf(schema: LocalTool["input"], io: "input" | "output", where: string): JsonObject {
  if (!isJsonObject(schema))
    throw invalid(`${where}.${io}`, "expected a zod 4 schema or a JSON Schema object");
  if (!isZod(schema) && "_def" in schema)
    throw invalid(`${where}.${io}`, "is a zod 3 schema; zod 4 is needed");
  try {
    const json: unknown = isZod(schema) ? z.toJSONSchema(schema, { io, unrepresentable: "throw" }) : schema;
    return JSON.parse(JSON.stringify(json)) as JsonObject;
  } catch (error) {
    throw invalid(`${where}.${io}`, `cannot be written as JSON Schema: ${printable(messageOf(error))}`);
  }
}

function invalid(path: string, why: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `${path}: ${why}`, { data: { path } });
}
