// Owns what the adapters share: which meta-tools are offered, and one call of a model, whatever it sent.
import {
  CallgateError,
  type Gate,
  type JsonObject,
  type MetaTool,
  type MetaToolResult,
  type RunOptions,
} from "../index.ts";

/** One conversation: whose it is, and who is asked about its calls. */
export interface AdapterOptions extends Pick<RunOptions, "principal" | "labels" | "approve" | "onProgress"> {
  /** Which tools the model gets. @defaultValue search_tools, get_tool_details, run_script */
  readonly tools?: readonly MetaTool["name"][];
}

/** Options of adapters whose framework brings no abort signal of its own. */
export interface HandlerOptions extends AdapterOptions {
  /** Ends the run and its calls. */
  readonly signal?: AbortSignal;
}

/** Throws CONFIG_INVALID for a name that is none, or none at all. */
export function offeredTools(gate: Gate, { tools }: AdapterOptions): readonly MetaTool[] {
  const all = gate.metaTools();
  if (tools === undefined) return all;
  const names: readonly string[] = all.map(({ name }) => name);
  const unknown = tools.find((name) => !names.includes(name));
  if (unknown === undefined && tools.length > 0) return all.filter(({ name }) => tools.includes(name));
  const problem = unknown === undefined ? "expected at least one" : `there is no ${quoted(unknown)}`;
  const text = `tools: ${problem}; there are ${names.join(", ")}`;
  throw new CallgateError("CONFIG_INVALID", text, { data: { path: "tools" } });
}

export function isOffered(gate: Gate, name: string, options: AdapterOptions): boolean {
  return offeredTools(gate, options).some((one) => one.name === name);
}

/** What of the options goes to a run. */
export function runOptions(options: HandlerOptions): Parameters<MetaTool["execute"]>[1] {
  const { principal, labels, approve, onProgress, signal } = options;
  return {
    ...(principal !== undefined && { principal }),
    ...(labels !== undefined && { labels }),
    ...(approve !== undefined && { approve }),
    ...(onProgress !== undefined && { onProgress }),
    ...(signal !== undefined && { signal }),
  };
}

/** `signal` is the framework's own. */
export function runTool(
  tool: MetaTool,
  input: unknown,
  options: AdapterOptions,
  signal: AbortSignal | undefined,
): Promise<MetaToolResult> {
  return tool.execute(input, runOptions(signal === undefined ? options : { ...options, signal }));
}

/** For loops written by hand: a name that is not offered is told to the model, who can do better next time. */
export async function runNamed(
  gate: Gate,
  name: string,
  input: unknown,
  options: HandlerOptions,
): Promise<MetaToolResult> {
  const tools = offeredTools(gate, options);
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool.execute(input, runOptions(options));
  const names = tools.map((one) => one.name).join(", ");
  return unknownTool(name, `there are ${names}. Call server tools from run_script.`);
}

export function unknownTool(name: string, hint: string): MetaToolResult {
  return refused(`There is no tool ${quoted(name)}; ${hint}`);
}

/** `runNamed` for arguments that come as JSON text. */
export async function runNamedText(
  gate: Gate,
  name: string,
  argumentsText: string,
  options: HandlerOptions,
): Promise<MetaToolResult> {
  let input: unknown;
  try {
    // Some models send nothing at all when they mean no arguments.
    input = argumentsText.trim() === "" ? {} : JSON.parse(argumentsText);
  } catch (error) {
    const why = (error as Error).message.slice(0, 200);
    return refused(`${quoted(name)}: the arguments are no JSON (${why}). Send one JSON object.`);
  }
  return runNamed(gate, name, input, options);
}

/** Media types that providers of models take. */
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The images among what a script emitted that a model can be shown; the text names the rest. */
export function imagesOf(
  content: MetaToolResult["content"] = [],
): readonly { readonly data: string; readonly mimeType: string }[] {
  return content.flatMap(({ data, mimeType }) =>
    data !== undefined && IMAGES.has(mimeType) ? [{ data, mimeType }] : [],
  );
}

/** Strict mode of OpenAI wants every property required and no others; our schemas are flat, so the top tells. */
export function isStrict({ properties, required, additionalProperties }: JsonObject): boolean {
  const keys = Object.keys((properties ?? {}) as JsonObject);
  const needed = new Set((required ?? []) as readonly string[]);
  return additionalProperties === false && keys.every((key) => needed.has(key));
}

function refused(text: string): MetaToolResult {
  return { isError: true, text, structuredContent: { error: text } };
}

function quoted(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 80));
}
