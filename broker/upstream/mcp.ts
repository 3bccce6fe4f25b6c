// Owns an MCP server over its whole life: connected when needed, restarted when it died, its tool list kept.
import { CallgateError } from "../../contract/error.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import { createBackoff } from "./backoff.ts";
import { pause, raced, systemClock } from "./clock.ts";
import { printingOf, type McpServerConfig } from "./config.ts";
import type { Connection } from "./connection.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { Failure } from "./failure.ts";
import { printable, withoutSecrets } from "./printable.ts";
import { createSlots } from "./slots.ts";
import type { McpUpstreamOptions } from "./connect.ts";
import type { Upstream, UpstreamCallOptions, UpstreamResult, UpstreamStatus } from "./upstream.ts";

export type { McpUpstreamOptions } from "./connect.ts";

/** A wait for a restart up to this long is waited out inside the call; a longer one fails it at once. */
const SHORT_WAIT_MS = 1_000;
const MAX_NOTES = 50;

/**
 * An upstream for one configured MCP server, old protocol or new, stdio or HTTP. Nothing starts before the first
 * `tools()` or `call()`. A server that dies fails the calls in flight and is started again, with back-off, by the next
 * call. Disposing ends the process tree and every call with `DISPOSED` or `CALL_CANCELLED`.
 */
export function createMcpUpstream(
  server: string,
  config: McpServerConfig,
  options: McpUpstreamOptions = {},
): Upstream {
  const clock = options.clock ?? systemClock;
  const { secrets } = printingOf(config);
  const slots = createSlots(options.concurrency ?? 64, options.queue ?? 10_000);
  const backoff = createBackoff();
  const life = new AbortController();
  const listeners = new Set<() => void>();
  const notes = {
    wire: [] as string[],
    list: [] as readonly string[],
    stale: undefined as string | undefined,
  };
  let state: UpstreamStatus["state"] = "idle";
  let lastError: string | undefined;
  let connection: Connection | undefined;
  let connecting: Promise<Connection> | undefined;
  let list: readonly ToolDefinition[] | undefined;
  let listing: Promise<readonly ToolDefinition[]> | undefined;
  let stale = true;
  let changes = 0;
  let protocolVersion: string | undefined;

  const clean = (text: string, limit: number): string => printable(withoutSecrets(text, secrets), limit);
  const name = JSON.stringify(printable(server, 64));

  function unavailable(why: string, sent: boolean, extra: Record<string, unknown> = {}): CallgateError {
    return new CallgateError(
      "CALL_UPSTREAM_UNAVAILABLE",
      `server ${name} is not available: ${clean(why, 900)}`,
      {
        data: { server, sent, ...extra },
      },
    );
  }

  function note(text: string): void {
    if (notes.wire.length < MAX_NOTES) notes.wire.push(clean(text, 300));
  }

  function toolsChanged(): void {
    changes += 1;
    if (stale) return;
    stale = true;
    for (const listener of listeners) listener();
  }

  function refuseWhenDisposed(): void {
    if (life.signal.aborted)
      throw new CallgateError("DISPOSED", `server ${name} was disposed; make a new gate`);
  }

  /** One attempt at a time, shared by all who wait. */
  function connect(): Promise<Connection> {
    if (connection !== undefined) return Promise.resolve(connection);
    connecting ??= attempt().finally(() => (connecting = undefined));
    return connecting;
  }

  async function attempt(): Promise<Connection> {
    refuseWhenDisposed();
    const wait = backoff.remaining(clock.now());
    if (wait > SHORT_WAIT_MS) {
      const again = `tried again in ${Math.ceil(wait / 1000)} s`;
      throw unavailable(`${lastError ?? "it failed before"} (${again})`, false, {
        retryAfterMs: Math.ceil(wait),
      });
    }
    await pause(clock, wait, life.signal);
    refuseWhenDisposed();
    state = "connecting";
    try {
      const { connectServer } = await import("./connect.ts");
      const opened: Connection = await connectServer(server, config, options, {
        clock,
        signal: life.signal,
        onNote: note,
        onToolsChanged: toolsChanged,
        onClosed: (why) => closed(() => opened, why),
      });
      if (life.signal.aborted) {
        await opened.close();
        refuseWhenDisposed();
      }
      backoff.succeeded();
      connection = opened;
      protocolVersion = opened.protocolVersion;
      state = "ready";
      lastError = undefined;
      return opened;
    } catch (error) {
      if (life.signal.aborted) refuseWhenDisposed();
      backoff.startFailed(clock.now());
      state = "failed";
      lastError = clean(error instanceof Error ? error.message : String(error), 900);
      throw CallgateError.is(error) ? error : unavailable(lastError, false);
    }
  }

  function closed(which: () => Connection, why: string): void {
    if (connection === undefined || connection !== which()) return;
    backoff.crashed(clock.now(), connection.openedAt);
    connection = undefined;
    stale = true;
    if (life.signal.aborted) return;
    state = "failed";
    lastError = clean(why, 900);
  }

  /** Drops a connection that is of no use any more; the next call makes a new one. */
  function abandon(useless: Connection): void {
    if (connection === useless) {
      connection = undefined;
      stale = true;
    }
    void useless.close();
  }

  async function refresh(): Promise<readonly ToolDefinition[]> {
    const before = changes;
    try {
      const fresh = await listOnce(true);
      notes.list = fresh.notes.slice(0, MAX_NOTES).map((text) => clean(text, 300));
      notes.stale = undefined;
      stale = changes !== before;
      list = fresh.tools;
      return fresh.tools;
    } catch (error) {
      if (life.signal.aborted || list === undefined) throw error;
      notes.stale = `the tool list may be out of date: ${clean((error as Error).message, 300)}`;
      return list;
    }
  }

  async function listOnce(mayRetry: boolean): ReturnType<Connection["list"]> {
    const current = await connect();
    using deadline = createDeadline({
      signal: life.signal,
      timeoutMs: config.timeout ?? options.listTimeoutMs ?? 60_000,
      clock,
    });
    try {
      return await current.list(deadline.signal);
    } catch (error) {
      refuseWhenDisposed();
      if (deadline.ended() === "timeout") throw unavailable("it did not list its tools in time", false);
      const { readFailure } = await import("./failure.ts");
      const failure = readFailure(error, { sent: true, session: true });
      if (failure.kind === "session-lost" && mayRetry) {
        abandon(current);
        return listOnce(false);
      }
      throw unavailable(lost(failure) ?? `it does not list its tools: ${failure.message}`, false);
    }
  }

  /** Why a connection that died did so; known a moment later than the failure of the call. */
  function lost(failure: Failure): string | undefined {
    return failure.kind === "unavailable" && failure.dead ? (lastError ?? failure.message) : undefined;
  }

  async function call(
    tool: ToolDefinition,
    args: JsonObject,
    callOptions: UpstreamCallOptions,
    deadline: Deadline,
    mayRetry: boolean,
  ): Promise<UpstreamResult> {
    const current = await raced(connect(), deadline.signal);
    const outcome = await current.call(tool, args, {
      signal: deadline.signal,
      onProgress(progress) {
        deadline.extend();
        callOptions.onProgress?.(progress);
      },
    });
    if ("result" in outcome) {
      if (outcome.result.isError && saysUnknown(outcome.result, tool.name)) toolsChanged();
      return outcome.result;
    }
    const { failure } = outcome;
    if (deadline.signal.aborted) throw new Ended("sent" in failure ? failure.sent : true);
    if (failure.kind === "session-lost") {
      abandon(current);
      // The server refused the request unread, so asking again cannot repeat an effect.
      if (mayRetry) return call(tool, args, callOptions, deadline, false);
      throw unavailable(failure.message, false);
    }
    if (failure.kind === "unavailable") throw unavailable(lost(failure) ?? failure.message, failure.sent);
    const rpc = failure.kind === "rpc" ? failure.code : undefined;
    const unknownTool = rpc === -32_602 && /unknown tool|not found/i.test(failure.message);
    if (unknownTool || rpc === -32_601) toolsChanged();
    throw new CallgateError("CALL_TOOL_ERROR", clean(failure.message, 2_000), {
      data: {
        server,
        tool: tool.name,
        sent: true,
        ...(rpc === undefined ? {} : { rpcCode: rpc }),
        ...(unknownTool ? { unknownTool } : {}),
      },
    });
  }

  return {
    server,
    async tools({ signal }) {
      refuseWhenDisposed();
      if (list !== undefined && !stale) return list;
      listing ??= refresh().finally(() => (listing = undefined));
      // Everybody may have stopped waiting by the time it fails.
      listing.catch(() => {});
      try {
        return await raced(listing, signal);
      } catch (error) {
        if (signal.aborted) throw cancelled(server, undefined, false);
        throw error;
      }
    },
    async call(tool, args, callOptions) {
      refuseWhenDisposed();
      const timeoutMs = Math.min(callOptions.timeoutMs, config.timeout ?? Number.POSITIVE_INFINITY);
      using deadline = createDeadline({
        signal: AbortSignal.any([callOptions.signal, life.signal]),
        timeoutMs,
        clock,
      });
      let giveBack: (() => void) | undefined;
      try {
        giveBack = await slots.take(deadline.signal);
        if (giveBack === undefined)
          throw unavailable("too many calls wait for it; make fewer at a time", false);
        return await call(tool, args, callOptions, deadline, true);
      } catch (error) {
        if (!deadline.signal.aborted || CallgateError.is(error)) throw error;
        const sent = error instanceof Ended && error.sent;
        if (deadline.ended() === "cancelled") throw cancelled(server, tool.name, sent);
        const what = `${printable(server, 64)}.${printable(tool.name, 128)} gave no answer within ${timeoutMs} ms`;
        throw new CallgateError("CALL_TIMEOUT", what, { data: { server, tool: tool.name, sent } });
      } finally {
        giveBack?.();
      }
    },
    status() {
      const all = [notes.stale, ...notes.list, ...notes.wire].filter((text) => text !== undefined);
      return {
        server,
        state,
        ...(lastError === undefined ? {} : { error: lastError }),
        ...(protocolVersion === undefined ? {} : { protocolVersion }),
        notes: all.slice(0, MAX_NOTES),
      };
    },
    onToolsChanged(listener) {
      listeners.add(listener);
    },
    async [Symbol.asyncDispose]() {
      life.abort(new Error("disposed"));
      state = "closed";
      await connecting?.catch(() => {});
      const last = connection;
      connection = undefined;
      await last?.close();
    },
  };
}

/** The deadline ended a call; whether the request had left by then. */
class Ended extends Error {
  readonly sent: boolean;
  constructor(sent: boolean) {
    super("ended");
    this.sent = sent;
  }
}

function cancelled(server: string, tool: string | undefined, sent: boolean): CallgateError {
  const what = tool === undefined ? `the tool list of ${server}` : `${server}.${tool}`;
  return new CallgateError("CALL_CANCELLED", `${printable(what, 200)} was cancelled`, {
    data: { server, ...(tool === undefined ? {} : { tool }), sent },
  });
}

/** Servers on the first SDK answer a tool they do not have with an `isError` result. */
function saysUnknown(result: UpstreamResult, tool: string): boolean {
  const text = result.content[0]?.["text"];
  if (typeof text !== "string" || text.length > tool.length + 80) return false;
  return text.includes(tool) && /unknown tool|not found/i.test(text);
}
