// Owns an MCP server as an upstream: its tools and calls, whatever becomes of the connection meanwhile.
import { CallgateError } from "../../contract/error.ts";
import type { JsonObject } from "../../contract/json.ts";
import { mcpMethod } from "../../contract/methods.ts";
import type { ToolDefinition } from "../../contract/tool.ts";
import type { Asker } from "./asker.ts";
import { authContext } from "./auth/sign-in.ts";
import { catalogKey } from "./catalog-store.ts";
import { raced, settledWithin, systemClock } from "./clock.ts";
import { printingOf, type McpServerConfig } from "./config.ts";
import type { McpUpstreamOptions } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { Failure } from "./failure.ts";
import { createLink } from "./link.ts";
import { createRate } from "./rate.ts";
import { createSlots } from "./slots.ts";
import { createToolCache } from "./tool-cache.ts";
import type { Upstream, UpstreamCallOptions, UpstreamResult } from "./upstream.ts";
import { createWording } from "./wording.ts";

export type { McpUpstreamOptions } from "./connect.ts";

const MAX_NOTES = 50;
const HEADER_MISMATCH = -32_020;
const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;
const TOO_MANY_REQUESTS = 429;
const SAVE_MS = 2_000;
const UNSUPPORTED_VERSION = -32_022;
const INVALID_REQUEST = -32_600;
/** A server that asks to wait is asked again up to three times, if it wants no more than ten seconds. */
const MAX_WAITS = 3;
const MAX_WAIT_MS = 10_000;

/**
 * An upstream for one configured MCP server, old protocol or new, stdio or HTTP. Nothing starts before the first
 * `tools()` or `call()`. A server that dies fails the calls in flight and is started again, with back-off, by the next
 * one. Disposing ends its process tree; calls then fail with `CALL_CANCELLED` or `DISPOSED`.
 */
export function createMcpUpstream(
  server: string,
  config: McpServerConfig,
  options: McpUpstreamOptions = {},
): Upstream {
  const clock = options.clock ?? systemClock;
  const wording = createWording(server, printingOf(config).secrets, options.http?.secrets);
  const slots = createSlots(config.concurrency ?? options.concurrency ?? 64, options.queue ?? 10_000);
  const rate = createRate(config.rateLimit, clock);
  const wireNotes: string[] = [];
  const link = createLink({
    server,
    config,
    options,
    clock,
    wording,
    onNote(note) {
      if (wireNotes.length < MAX_NOTES) wireNotes.push(wording.clean(note, 300));
    },
    onToolsChanged: () => cache.invalidate(),
    onAway: () => cache.expire(),
  });
  const { memory } = options;
  const cache = createToolCache({
    server,
    link,
    clock,
    wording,
    timeoutMs: config.timeout ?? options.listTimeoutMs ?? 60_000,
    memory: memory && {
      ...memory,
      // Asked for each time: what one sign-in may see is not to be shown to the next.
      key: async () => catalogKey(config, await authContext(config, options.http?.tokens)),
    },
  });

  async function attempt(
    tool: ToolDefinition,
    args: JsonObject,
    callOptions: UpstreamCallOptions,
    deadline: Deadline,
    tries: number,
  ): Promise<UpstreamResult> {
    const connection = await raced(link.connect(), deadline.signal);
    const outcome = await connection.call(tool, args, {
      signal: deadline.signal,
      asker: callOptions.asker ?? NOBODY,
      hold: deadline.hold,
      onProgress(progress) {
        deadline.extend();
        callOptions.onProgress?.(progress);
      },
      meta: callOptions.meta,
      onRequest: callOptions.onRequest,
    });
    if ("result" in outcome) {
      link.report(undefined);
      if (outcome.result.isError && saysUnknown(outcome.result, tool.name)) cache.invalidate();
      return outcome.result;
    }
    const { failure } = outcome;
    if (deadline.signal.aborted) throw new Ended(failure.kind === "unavailable" ? failure.sent : true);
    const again = await remedy(failure, connection, tool, deadline, tries);
    if (again !== undefined) return attempt(again, args, callOptions, deadline, tries + 1);
    throw wordsFor(failure, tool, connection.ended());
  }

  /** The tool to call once more; undefined unless the request was certainly not performed. */
  async function remedy(
    failure: Failure,
    connection: Connection,
    tool: ToolDefinition,
    deadline: Deadline,
    tries: number,
  ): Promise<ToolDefinition | undefined> {
    if (failure.kind === "unavailable" && failure.status === TOO_MANY_REQUESTS && tries < MAX_WAITS) {
      if (failure.retryAfterMs === undefined || failure.retryAfterMs > MAX_WAIT_MS) return undefined;
      // Whoever comes meanwhile would be refused as well.
      rate.hold(failure.retryAfterMs);
      await myTurn(deadline);
      return tool;
    }
    if (tries > 0) return undefined;
    if (!connection.proven() && refusedUnread(failure)) {
      link.distrust(connection);
      return tool;
    }
    if (
      failure.kind === "session-lost" ||
      (failure.kind === "unavailable" && failure.dead && !failure.sent)
    ) {
      link.drop(connection);
      return tool;
    }
    if (failure.kind !== "rpc" || failure.code !== HEADER_MISMATCH) return undefined;
    cache.invalidate();
    const fresh = await raced(cache.get("current"), deadline.signal);
    return fresh.find(({ name }) => name === tool.name);
  }

  async function myTurn(deadline: Deadline): Promise<void> {
    await rate.take(deadline.signal).catch(() => {
      throw new Ended(false);
    });
  }

  /** Security: a script must not queue calls for hours; what cannot leave in time is refused now. */
  function refuseWhenLate(timeoutMs: number): void {
    const ms = Math.ceil(rate.wait(slots.waiting()));
    if (ms <= timeoutMs) return;
    const { calls = 0, perMs = 0 } = config.rateLimit ?? {};
    const limit = calls === 0 ? "it asked for quiet" : `its limit is ${calls} calls in ${perMs} ms`;
    const why = `${limit}, and the next turn comes in ${ms} ms; make fewer calls, or later`;
    throw wording.unavailable(why, { sent: false, retryAfterMs: ms });
  }

  function wordsFor(failure: Failure, tool: ToolDefinition, ended: string | undefined): CallgateError {
    if (failure.kind === "session-lost") return wording.unavailable(failure.message, { sent: false });
    if (failure.kind === "unavailable") {
      link.report(ended ?? failure.message);
      const { sent, retryAfterMs, auth } = failure;
      return wording.unavailable(ended ?? failure.message, {
        sent,
        ...(auth === undefined ? {} : { auth }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    if (failure.kind === "unusable") return wording.toolError(tool.name, failure.message, {});
    const unknownTool =
      mcpMethod(tool.name) === undefined &&
      failure.code === INVALID_PARAMS &&
      /unknown tool|not found/i.test(failure.message);
    if (unknownTool || failure.code === METHOD_NOT_FOUND) cache.invalidate();
    const data = { rpcCode: failure.code, ...(unknownTool ? { unknownTool } : {}) };
    return wording.toolError(tool.name, failure.message, data);
  }

  return {
    server,
    async tools({ signal, accept = "current" }) {
      link.refuseWhenDisposed();
      try {
        return await raced(cache.get(accept), signal);
      } catch (error) {
        if (signal.aborted) throw wording.cancelled(undefined, false);
        throw error;
      }
    },
    age: () => cache.age(),
    async call(tool, args, callOptions) {
      link.refuseWhenDisposed();
      const timeoutMs = Math.min(callOptions.timeoutMs, config.timeout ?? Number.POSITIVE_INFINITY);
      using deadline = createDeadline({ signals: [callOptions.signal, link.life], timeoutMs, clock });
      let giveBack: (() => void) | undefined;
      try {
        refuseWhenLate(timeoutMs);
        giveBack = await slots.take(deadline.signal);
        if (giveBack === undefined) {
          throw wording.unavailable("too many calls wait for it; make fewer at a time", { sent: false });
        }
        await myTurn(deadline);
        return await attempt(tool, args, callOptions, deadline, 0);
      } catch (error) {
        const ended = deadline.ended();
        if (ended === undefined || (CallgateError.is(error) && error.code !== "DISPOSED")) throw error;
        const sent = error instanceof Ended && error.sent;
        if (ended === "cancelled") throw wording.cancelled(tool.name, sent);
        throw wording.timedOut(tool.name, timeoutMs, sent);
      } finally {
        giveBack?.();
      }
    },
    status() {
      return { server, ...link.status(), notes: [...cache.notes(), ...wireNotes].slice(0, MAX_NOTES) };
    },
    revived: () => link.revived(),
    onToolsChanged: (listener) => cache.onChanged(listener),
    async [Symbol.asyncDispose]() {
      await link.dispose();
      await settledWithin(systemClock, cache.settled(), SAVE_MS);
    },
  };
}

const NOBODY: Asker = { owner: {}, ask: () => Promise.resolve({ action: "decline" }) };

/** The deadline ended a call; whether the request had left by then. */
class Ended extends Error {
  readonly sent: boolean;
  constructor(sent: boolean) {
    super("ended");
    this.sent = sent;
  }
}

/** An answer of a server that speaks another era than it was remembered to: it looked at no call. */
function refusedUnread(failure: Failure): boolean {
  if (failure.kind === "rpc")
    return [UNSUPPORTED_VERSION, INVALID_REQUEST, METHOD_NOT_FOUND].includes(failure.code);
  return failure.kind === "unavailable" && [400, 404, 405].includes(failure.status ?? 0);
}

/** Servers on the first SDK answer a tool they do not have with an `isError` result. */
function saysUnknown(result: UpstreamResult, tool: string): boolean {
  const text = result.content[0]?.["text"];
  if (typeof text !== "string" || text.length > tool.length + 80) return false;
  return text.includes(tool) && /unknown tool|not found/i.test(text);
}
