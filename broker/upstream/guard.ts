// Owns the seam between the MCP SDK and the wire: raw answers are taken here, the SDK sees repaired ones.
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";
import { MCP_METHODS } from "../../contract/methods.ts";
import { createListWalk, type ListWalk } from "./list-walk.ts";
import type { Progress, UpstreamCallOptions } from "./upstream.ts";

/** Follows one call through the SDK, by the identity of its arguments object. */
export interface Ticket {
  id?: string;
  /** The request was handed to the transport. */
  sent: boolean;
  /** The raw result, as the server sent it. */
  result?: { readonly raw: JsonValue };
  /** The last request of it has an answer: the server is done with it. */
  answered: boolean;
  /** The stream that would have carried the answer ended without it. */
  lost: boolean;
  readonly onProgress: (progress: Progress) => void;
  readonly onRequest: UpstreamCallOptions["onRequest"] | undefined;
}

export interface Guard {
  /** Give this to the SDK. */
  readonly transport: Transport;
  readonly walk: ListWalk;
  /** Set once the revision is known. */
  modern: boolean;
  /** The server has answered something with a result. */
  readonly answered: boolean;
  open(args: JsonObject, told: Pick<Ticket, "onProgress" | "onRequest">): Ticket;
  close(ticket: Ticket): void;
}

type Kind = "list" | "call" | "method" | "initialize" | "other";

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["tools/list", "list"],
  ["initialize", "initialize"],
  ...MCP_METHODS.map(({ name }) => [name, "method"] as const),
]);

const LOST: { readonly code: number; readonly message: string } = {
  code: -32_000,
  message: "the response stream ended without an answer",
};

const ASKS: { readonly code: number; readonly message: string } = {
  code: -32_603,
  message: "the tool asks a person for input in the middle of the call, and nobody is there to ask",
};

/**
 * Wraps a transport. The results of `tools/list` and `tools/call` are kept raw and replaced by minimal valid ones, since
 * the SDK rejects a whole list for one faulty tool, and a done call for one unknown content block. Answers nobody waits
 * for are dropped. `stdio` makes the SDK take a silent server for one of the older era instead of an outage.
 */
export function guardTransport(
  inner: Transport,
  options: { readonly stdio: boolean; readonly elicits: boolean },
): Guard {
  const awaited = new Map<string, Kind>();
  const tickets = new Map<string, Ticket>();
  const byArguments = new WeakMap<object, Ticket>();
  const walk = createListWalk();
  let deliver: Transport["onmessage"];
  let answered = false;

  const transport: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    async send(message, sendOptions) {
      const id = register(message);
      if (id === undefined || inner.hasPerRequestStream !== true) return inner.send(message, sendOptions);
      const onRequestStreamEnd = (): void => streamEnded(id);
      return inner.send(message, { ...sendOptions, onRequestStreamEnd } as TransportSendOptions);
    },
    get sessionId() {
      return inner.sessionId;
    },
    get onmessage() {
      return deliver;
    },
    set onmessage(handler) {
      deliver = handler;
    },
    get onclose() {
      return inner.onclose;
    },
    set onclose(handler) {
      inner.onclose = handler;
    },
    get onerror() {
      return inner.onerror;
    },
    set onerror(handler) {
      inner.onerror = handler;
    },
    setProtocolVersion: (version: string) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions: string[]) => inner.setSupportedProtocolVersions?.(versions),
    ...(inner.hasPerRequestStream === undefined ? {} : { hasPerRequestStream: inner.hasPerRequestStream }),
    ...(options.stdio ? { stderr: null, pid: null } : {}),
  };
  inner.onmessage = receive;

  const guard: Guard = {
    transport,
    walk,
    modern: false,
    get answered() {
      return answered;
    },
    open(args, { onProgress, onRequest }) {
      const ticket: Ticket = { sent: false, answered: false, lost: false, onProgress, onRequest };
      byArguments.set(args, ticket);
      return ticket;
    },
    close(ticket) {
      if (ticket.id === undefined) return;
      tickets.delete(ticket.id);
      awaited.delete(ticket.id);
    },
  };
  return guard;

  function register(message: JSONRPCMessage): string | undefined {
    if (!("method" in message) || !("id" in message)) return undefined;
    const id = String(message.id);
    const args: unknown = message.method === "tools/call" ? message.params?.["arguments"] : undefined;
    const ticket = typeof args === "object" && args !== null ? byArguments.get(args) : undefined;
    if (ticket !== undefined) {
      if (ticket.id !== undefined) tickets.delete(ticket.id);
      ticket.id = id;
      ticket.sent = true;
      ticket.answered = false;
      tickets.set(id, ticket);
      ticket.onRequest?.({ id, sessionId: inner.sessionId });
    }
    awaited.set(id, ticket === undefined ? (KINDS.get(message.method) ?? "other") : "call");
    return id;
  }

  function streamEnded(id: string): void {
    if (!awaited.has(id)) return;
    const ticket = tickets.get(id);
    if (ticket !== undefined) ticket.lost = true;
    receive({ jsonrpc: "2.0", id: /^\d+$/.test(id) ? Number(id) : id, error: LOST });
  }

  function receive(
    message: JSONRPCMessage,
    extra?: Parameters<NonNullable<Transport["onmessage"]>>[1],
  ): void {
    const raw: unknown = message;
    if (!isJsonObject(raw)) return;
    if (typeof own(raw, "method") === "string") {
      if (!takeProgress(raw)) deliver?.(message, extra);
      return;
    }
    const id = String(own(raw, "id"));
    const kind = awaited.get(id);
    if (kind === undefined) return;
    awaited.delete(id);
    const ticket = tickets.get(id);
    if (ticket !== undefined) ticket.answered = !ticket.lost;
    deliver?.({ jsonrpc: "2.0", id: own(raw, "id"), ...answerOf(raw, kind, id) } as JSONRPCMessage, extra);
  }

  /** Progress is handled at once: the SDK loses what arrives together with the result. */
  function takeProgress(raw: JsonObject): boolean {
    if (raw["method"] !== "notifications/progress") return false;
    const params = own(raw, "params");
    if (!isJsonObject(params)) return true;
    const ticket = tickets.get(String(own(params, "progressToken")));
    const { progress, total, message } = params;
    if (ticket === undefined || typeof progress !== "number") return true;
    ticket.onProgress({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
    return true;
  }

  function answerOf(raw: JsonObject, kind: Kind, id: string): JsonObject {
    const error = own(raw, "error");
    if (error !== undefined && error !== null) return { error: readError(error as JsonValue) };
    const result = (own(raw, "result") ?? null) as JsonValue;
    answered = true;
    if (kind === "other") return { result };
    if (kind === "initialize") return { result: readInitialize(result) };
    const type = isJsonObject(result) ? own(result, "resultType") : undefined;
    if (guard.modern && type === "input_required" && !options.elicits && asksForInput(result))
      return { error: ASKS };
    // What else is not complete (a question, a state to be echoed, a task) goes on as it is.
    if (guard.modern && type !== undefined && type !== "complete") return { result };
    const complete: JsonObject = guard.modern ? { resultType: "complete" } : {};
    if (kind === "method") return { result: { ...complete, ...(isJsonObject(result) && result) } };
    if (kind === "list") return { result: { ...complete, ...walk.take(result, guard.modern) } };
    const ticket = tickets.get(id);
    if (ticket !== undefined) ticket.result = { raw: result };
    return { result: { ...complete, content: [] } };
  }
}

function asksForInput(result: JsonValue): boolean {
  const requests = isJsonObject(result) ? own(result, "inputRequests") : undefined;
  return isJsonObject(requests) && Object.keys(requests).length > 0;
}

/** Fills in what servers leave out and the SDK insists on. One that declares nothing is asked for its tools all the same. */
function readInitialize(result: JsonValue): JsonValue {
  if (!isJsonObject(result)) return result;
  const capabilities = own(result, "capabilities");
  const info = own(result, "serverInfo");
  const text = (key: string): string => {
    const value = isJsonObject(info) ? own(info, key) : undefined;
    return typeof value === "string" ? value : "unknown";
  };
  return {
    protocolVersion: (own(result, "protocolVersion") ?? null) as JsonValue,
    capabilities: isJsonObject(capabilities) ? usedOf(capabilities) : { tools: {} },
    serverInfo: { name: text("name"), version: text("version") },
  };
}

/** Only the capabilities that are used; a faulty other one is none of our concern. */
function usedOf(capabilities: JsonObject): JsonObject {
  const has = (key: string): boolean => ![undefined, null, false].includes(own(capabilities, key) as null);
  const tools = own(capabilities, "tools");
  return {
    ...(has("tools") && {
      tools: isJsonObject(tools) && tools["listChanged"] === true ? { listChanged: true } : {},
    }),
    ...(has("resources") && { resources: {} }),
    ...(has("prompts") && { prompts: {} }),
  };
}

function readError(error: JsonValue): JsonObject {
  const code = isJsonObject(error) ? own(error, "code") : undefined;
  const message = isJsonObject(error) ? own(error, "message") : error;
  const data = isJsonObject(error) ? (own(error, "data") as JsonValue | undefined) : undefined;
  return {
    code: Number.isSafeInteger(code) ? (code as number) : -32_603,
    message: typeof message === "string" ? message : "the server reported an error without a message",
    ...(data === undefined ? {} : { data }),
  };
}
