// Owns one protocol instance: what a client asks of it and how a run is tied to the request that started it.
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createProgressReport, type ProgressReport } from "./progress.ts";
import { askThrough, type Put } from "./put.ts";
import type { RoundRequest, Rounds, RoundState, Step } from "./rounds.ts";
import type { OfferedTools, ToolName, ToolRun } from "./tools.ts";

/** What all clients of one Callgate server share. */
export interface Shared {
  readonly tools: OfferedTools;
  /** Whether questions about calls go to the client that started the run. */
  readonly asksClients: boolean;
  readonly rounds: Rounds<CallToolResult>;
  readonly codec: RequestStateCodec<RoundState>;
  readonly version: string;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  readonly onError: (error: Error) => void;
  /** Told of work that a graceful close waits for. */
  readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
}

/** Who is at the other end. */
export interface Peer {
  readonly era: "legacy" | "modern";
  readonly principal: string;
}

const INSTRUCTIONS =
  "Callgate: call many tools with one script. Write TypeScript for run_script; find tools with search_tools and their signatures with get_tool_details. Only what the script logs or returns comes back.";
/** Approval has its own time limit; the protocol's must not come first. */
const UNTIMED_MS = 2 ** 31 - 1;

export function createProtocol(shared: Shared, peer: Peer): Server {
  const { tools, codec, version, onError } = shared;
  const server = new Server(
    { name: "callgate", version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );
  server.onerror = onError;
  server.setRequestHandler("tools/list", () => ({ tools: tools.definitions() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name } = params;
    if (!tools.has(name)) {
      const text = `Unknown tool: ${JSON.stringify(name.slice(0, 100))}`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
    const input: unknown = params.arguments ?? {};
    const { principal } = peer;
    if (!tools.runs(name)) return shared.track(tools.execute(name, input, { principal }));
    using progress = progressOf(context, onError);
    const signal = AbortSignal.any([context.mcpReq.signal, shared.closing]);
    const request: RoundRequest = { signal, onProgress: progress.update };
    if (peer.era === "modern")
      return await shared.track(roundTrip(shared, peer, name, input, context, request));
    const put = canElicit(server.getClientCapabilities()) ? elicitation(context) : undefined;
    return await shared.track(run(shared, put, name, input, { principal, ...request }));
  });
  return server;
}

function run(
  { asksClients, tools }: Shared,
  put: Put | undefined,
  name: ToolName,
  input: unknown,
  options: ToolRun,
): Promise<CallToolResult> {
  if (!asksClients || put === undefined) return tools.execute(name, input, options);
  return tools.execute(name, input, { ...options, ...askThrough(put) });
}

/** Eras up to 2025-11-25: the question is a request of the server's own, tied to the call. */
function elicitation(context: ServerContext): Put {
  return ({ form }, { signal }) => {
    const params = { mode: "form", ...form } as ElicitRequestFormParams;
    return context.mcpReq.elicitInput(params, { signal, timeout: UNTIMED_MS });
  };
}

/** Era 2026-07-28: a question ends the request; the client answers by asking again with the state it was given. */
async function roundTrip(
  shared: Shared,
  { principal }: Peer,
  name: ToolName,
  input: unknown,
  context: ServerContext,
  request: RoundRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { rounds, codec } = shared;
  const { inputResponses } = context.mcpReq;
  const state = context.mcpReq.requestState<RoundState>();
  const next = state === undefined ? undefined : rounds.resume(state, inputResponses, request);
  // Security: what comes as a continuation never begins a run, or one lost round would do everything twice.
  if (next === undefined && (state !== undefined || inputResponses !== undefined)) return overText();
  const envelope = (context.mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const asks = canElicit(envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined);
  const step: Step<CallToolResult> = await (next ??
    rounds.begin(
      { asks, run: ({ put, ...options }) => run(shared, put, name, input, { principal, ...options }) },
      request,
    ));
  if (step.type === "result") return step.result;
  return inputRequired({
    inputRequests: {
      [step.question.key]: inputRequired.elicit(step.question.form as ElicitRequestFormParams),
    },
    requestState: await codec.mint(step.state, context),
  });
}

function overText(): CallToolResult {
  const text =
    "This run is over, or was never here, so the answer came too late. Nothing was started by it. Calls the run had made before are done: look at their effects before running the script again.";
  return { isError: true, content: [{ type: "text", text }] };
}

/** An empty declaration means forms; one that names only URLs does not. */
function canElicit(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation: declared } = capabilities ?? {};
  if (declared === undefined) return false;
  return "form" in declared || !("url" in declared);
}

function progressOf({ mcpReq }: ServerContext, onError: (error: Error) => void): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  return createProgressReport((progress, message) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(onError);
  });
}
