// Owns a single call from outside a script: a script of one call makes it, so that it takes the same path as every other.
import { Buffer } from "node:buffer";
import type { Approve } from "./contract/decision.ts";
import type { JsonObject, JsonValue } from "./contract/json.ts";
import type { RunResult } from "./contract/result.ts";
import { quoted } from "./contract/schema/printable.ts";
import type { Gate, MetaTool, MetaToolResult } from "./gate.ts";

export interface OneCall {
  /** Configured name. */
  readonly server: string;
  /** Raw name. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/**
 * Calls one tool, for hosts that let a model call tools directly. Validation, policy, approval, budgets, limits and
 * audit are those of a script of one call. Never rejects for what the model sent; `text` is the tool's whole result or
 * what is wrong, `structuredContent` holds status, error, calls and usage as `run_script` does.
 */
export async function callTool(
  gate: Gate,
  call: OneCall,
  options: Parameters<MetaTool["execute"]>[1] = {},
): Promise<MetaToolResult> {
  const name = `${call.server}.${call.tool}`;
  const found = await gate.catalog.describe([name], { detail: "name" });
  const known = found.filter((one) => "identifier" in one);
  const exact = known.find(({ server, tool }) => server === call.server && tool === call.tool);
  // Another spelling will do while it can mean one tool only.
  const match = exact ?? (known.length === 1 ? known[0] : undefined);
  if (match === undefined) {
    const near = found.flatMap((one) => ("near" in one ? one.near : [one.call]));
    const hint = near.length === 0 ? "Find one with search_tools." : `Nearest: ${near.join(", ")}.`;
    const error = `CALL_UNKNOWN_TOOL: there is no tool ${quoted(name, 200)}. ${hint}`;
    return { isError: true, text: error, structuredContent: { error } };
  }
  const script = callScript({ ...match, arguments: call.arguments });
  // The broker bounds the arguments themselves; the limit of scripts is for scripts that somebody wrote.
  const limits = { scriptBytes: Buffer.byteLength(script) + 1_024 };
  const { approve, ...rest } = options;
  const asking = approve === undefined ? {} : { approve: withoutPlace(approve) };
  return answer(await gate.run(script, { ...rest, ...asking, check: "off", limits }));
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
    "const call = identifier.split('.').reduce((object, key) => object[key], globalThis[namespace]);",
    "const result = await call(input);",
    // Handles, which no JSON of a server can be: whoever calls a single tool wants to see what it gives, as far as it goes.
    "const parts = [result, result?.contents, result?.messages].flat().flatMap((one) => [one, one?.content]);",
    "for (const part of parts) if (typeof part?.base64 === 'function') try { emit(part); } catch {}",
    'return typeof result === "string" ? result : JSON.stringify(result);',
  ].join("\n");
}

/** The script around the call is nobody's, so its lines say nothing. */
function withoutPlace(approve: Approve): Approve {
  return ({ line: _line, source: _source, ...request }, options) => approve(request, options);
}

function answer({
  status,
  output,
  error: failure,
  calls,
  usage,
  content: emitted,
}: RunResult): MetaToolResult {
  const { line: _line, column: _column, source: _source, stack: _stack, ...error } = failure ?? {};
  const problem = failure === undefined ? "" : `${failure.code}: ${failure.message}`;
  const content = {
    status,
    ...(failure !== undefined && { error }),
    calls: calls.map(({ line: _called, ...receipt }) => receipt),
    usage,
  };
  return {
    isError: status === "failed",
    text: [output, problem].filter((part) => part !== "").join("\n\n"),
    structuredContent: JSON.parse(JSON.stringify(content)) as JsonValue,
    ...(emitted !== undefined && { content: emitted }),
  };
}
