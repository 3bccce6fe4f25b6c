// Owns the tools a client is offered: their definitions and what each answers.
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import {
  CallgateError,
  callTool,
  type CallReceipt,
  type EmittedContent,
  type Gate,
  type MetaToolResult,
  type RunOptions,
  type RunResult,
} from "../index.ts";
import { CALL_TOOL_DESCRIPTION, CALL_TOOL_INPUT, parseCall } from "./call-tool.ts";

export type ToolName = "search_tools" | "get_tool_details" | "run_script" | "call_tool";

export const TOOL_NAMES: readonly ToolName[] = [
  "search_tools",
  "get_tool_details",
  "run_script",
  "call_tool",
];
export const DEFAULT_TOOLS: readonly ToolName[] = ["search_tools", "get_tool_details", "run_script"];

export type ToolRun = Pick<RunOptions, "signal" | "principal" | "onProgress" | "approve" | "elicit">;

export interface OfferedTools {
  /** The same bytes for the same set of tools, whatever the order they came in. */
  definitions(): Tool[];
  has(name: string): name is ToolName;
  /** True when the tool makes calls, so that approval, progress and cancellation concern it. */
  runs(name: ToolName): boolean;
  execute(name: ToolName, input: unknown, run: ToolRun): Promise<CallToolResult>;
}

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const RECEIPTS = 20;

/** Throws CONFIG_INVALID for a name that is none, or none at all. */
export function offerTools(gate: Gate, names: readonly string[]): OfferedTools {
  for (const name of names) {
    if ((TOOL_NAMES as readonly string[]).includes(name)) continue;
    const text = `tools: there is no ${JSON.stringify(name.slice(0, 80))}; there are ${TOOL_NAMES.join(", ")}`;
    throw new CallgateError("CONFIG_INVALID", text, { data: { path: "tools" } });
  }
  const offered = TOOL_NAMES.filter((name) => names.includes(name));
  if (offered.length === 0) {
    throw new CallgateError("CONFIG_INVALID", "tools: expected at least one", { data: { path: "tools" } });
  }
  return {
    definitions() {
      const meta = new Map(gate.metaTools().map((tool) => [tool.name as ToolName, tool]));
      return offered.map((name): Tool => {
        const { description, inputSchema } = meta.get(name) ?? {
          description: CALL_TOOL_DESCRIPTION,
          inputSchema: CALL_TOOL_INPUT,
        };
        const runs = name === "run_script" || name === "call_tool";
        const schema = inputSchema as Tool["inputSchema"];
        return { name, description, inputSchema: schema, ...(!runs && { annotations: READS }) };
      });
    },
    has: (name): name is ToolName => (offered as readonly string[]).includes(name),
    runs: (name) => name === "run_script" || name === "call_tool",
    async execute(name, input, run) {
      if (name === "call_tool") return result(await call(gate, input, run));
      const tool = gate.metaTools().find((one) => one.name === name);
      if (tool === undefined) throw new Error(`the gate has no ${name}`);
      const answer = await tool.execute(input, run);
      if (name === "run_script") return result(answer);
      // Search and details say all they know in their text; the same again as data would only cost tokens.
      return { content: [{ type: "text", text: answer.text }], isError: answer.isError };
    },
  };
}

async function call(gate: Gate, input: unknown, run: ToolRun): Promise<MetaToolResult> {
  const parsed = parseCall(input);
  if (typeof parsed !== "string") return callTool(gate, parsed, run);
  const text = `call_tool: ${parsed}`;
  return { isError: true, text, structuredContent: { error: text } };
}

function result({ isError, text, structuredContent, content: emitted = [] }: MetaToolResult): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }, ...emitted.flatMap(block)];
  const { status, error, calls, usage } = structuredContent as unknown as Partial<RunResult>;
  if (status === undefined || calls === undefined || usage === undefined) return { content, isError };
  return { content, isError, structuredContent: runContent({ status, error, calls, usage, text }) };
}

type Block = CallToolResult["content"][number];

/** Content as MCP has it. A host may refuse a whole result for an image whose type is none of an image. */
function block({ type, mimeType, data, uri, name }: EmittedContent, index: number): Block[] {
  if (data === undefined) return [];
  if (type !== "resource" && mimeType.startsWith(`${type}/`)) return [{ type, data, mimeType }];
  const extension = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return [
    {
      type: "resource",
      resource: { uri: uri ?? `callgate://content/${index + 1}${extension}`, mimeType, blob: data },
    },
  ];
}

/**
 * Hosts exist that show a model the structured content instead of the text, so the text is in it, first; and the
 * receipts are few, those first that matter for what to do next.
 */
function runContent(run: {
  readonly status: RunResult["status"];
  readonly error: object | undefined;
  readonly calls: readonly CallReceipt[];
  readonly usage: RunResult["usage"];
  readonly text: string;
}): Record<string, unknown> {
  const { limits: _limits, ...usage } = run.usage;
  const plain = (call: CallReceipt): number => Number(call.status === "ok" && call.safeToRepeat);
  const calls = run.calls.toSorted((a, b) => plain(a) - plain(b) || a.seq - b.seq).slice(0, RECEIPTS);
  const left = run.calls.length - calls.length;
  return {
    status: run.status,
    output: run.text,
    ...(run.error !== undefined && { error: run.error }),
    calls: calls.toSorted((a, b) => a.seq - b.seq),
    ...(left > 0 && { callsNotShown: left }),
    usage,
  };
}
