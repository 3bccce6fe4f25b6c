// Owns the making of a connection from a configuration: transports and eras tried in order, failures put into words.
import type { spawn } from "node:child_process";
import { ProtocolError, SdkError } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../contract/json.ts";
import { accessProblemIn, type AccessProblem } from "./access-problem.ts";
import type { CatalogMemory } from "./catalog-store.ts";
import type { Clock } from "./clock.ts";
import type { McpServerConfig } from "./config.ts";
import { openConnection, type Connection } from "./connection.ts";
import { eraKey, forgetEra, rememberedEra, rememberEra, type Era, type Prior } from "./era.ts";
import { readFailure } from "./failure.ts";
import type { HttpAccess, HttpPowers } from "./http-access.ts";
import { createWire, wireKinds, type Wire, type WireKind } from "./wire.ts";

export { createHttpAccess } from "./http-access.ts";

/** Powers and bounds of one MCP upstream; the defaults are meant for use. */
export interface McpUpstreamOptions {
  readonly clock?: Clock;
  readonly spawn?: typeof spawn;
  /** For HTTP servers. @defaultValue no proxy, tokens in memory */
  readonly http?: Omit<HttpPowers, "connectTimeoutMs">;
  /** End of stderr kept for messages, bytes. @defaultValue 8 192 */
  readonly stderrBytes?: number;
  /** Largest message of a stdio server, bytes. @defaultValue 64 MiB */
  readonly messageBytes?: number;
  /** Calls at one time; more wait. @defaultValue 64 */
  readonly concurrency?: number;
  /** Calls that may wait; more fail. @defaultValue 10 000 */
  readonly queue?: number;
  /** Start and handshake, ms. @defaultValue 60 000 */
  readonly connectTimeoutMs?: number;
  /** The question which protocol era a stdio server speaks, ms. @defaultValue 4 000 */
  readonly probeTimeoutMs?: number;
  /** All pages of the tool list, ms; `timeout` of the configuration wins. @defaultValue 60 000 */
  readonly listTimeoutMs?: number;
  /** From closing a server's stdin to SIGTERM, and on to SIGKILL, ms. @defaultValue 1 000 */
  readonly graceMs?: number;
  /** Where tool lists outlive the process. Without, every process lists anew. */
  readonly memory?: CatalogMemory | undefined;
  /** Declares that somebody may be asked: elicitation in form mode. @defaultValue false */
  readonly elicits?: boolean;
  /** How Callgate names itself. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

export interface ConnectHooks {
  /** The way to an HTTP server. */
  readonly access: HttpAccess | undefined;
  readonly clock: Clock;
  /** Aborts the attempt; nothing of it is left when the promise settles. */
  readonly signal: AbortSignal;
  /** What an earlier process learned; what does not hold any more is asked for again. */
  readonly prior?: Prior | undefined;
  readonly onNote: (note: string) => void;
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

type Attempt =
  | { readonly connection: Connection }
  | { readonly error: unknown; readonly why: string; readonly problem: AccessProblem | undefined };

/** Rejects with an error whose message is the reason, for a person to read; an AccessProblem where it is one. */
export async function connectServer(
  server: string,
  config: McpServerConfig,
  options: McpUpstreamOptions,
  hooks: ConnectHooks,
): Promise<Connection> {
  const key = eraKey(config);
  const configured = config.protocolEra === "auto" ? undefined : config.protocolEra;
  let { prior } = hooks;
  let why = "";
  for (const kind of wireKinds(config)) {
    let era: Era | undefined = kind === "sse" ? "legacy" : (configured ?? rememberedEra(key) ?? prior?.era);
    for (;;) {
      const known = { era, discover: era === "modern" && kind !== "sse" ? prior?.discover : undefined };
      const attempt = await tryOnce(server, config, kind, known, options, hooks);
      if ("connection" in attempt) {
        if (kind !== "sse") rememberEra(key, attempt.connection.era);
        return attempt.connection;
      }
      hooks.signal.throwIfAborted();
      if (attempt.problem !== undefined) throw attempt.problem;
      why = attempt.why;
      if (known.discover !== undefined && SdkError.isInstance(attempt.error)) {
        prior = undefined;
        era = configured;
        forgetEra(key);
        continue;
      }
      if (configured !== undefined || kind === "sse" || !mayBeEra(attempt.error, era)) break;
      if (era === undefined) {
        // Some servers die of any request before `initialize`: those are of the older era.
        if (kind !== "stdio" || (attempt.error as SdkError).code !== "ERA_NEGOTIATION_FAILED") break;
        era = "legacy";
        forgetEra(key);
      } else {
        // What was learned does not hold any more; the server may have been replaced.
        if (rememberedEra(key) === undefined && prior === undefined) break;
        prior = undefined;
        era = undefined;
        forgetEra(key);
      }
    }
    if (kind === "http" && !meansOlderTransport(why)) break;
  }
  throw new Error(why);
}

/** A server that was remembered to be of another era than it is answers the first request with any error. */
function mayBeEra(error: unknown, era: Era | undefined): boolean {
  return SdkError.isInstance(error) || (era !== undefined && ProtocolError.isInstance(error));
}

function meansOlderTransport(why: string): boolean {
  return /HTTP (?:400|404|405)\b/.test(why);
}

async function tryOnce(
  server: string,
  config: McpServerConfig,
  kind: WireKind,
  known: { readonly era: Era | undefined; readonly discover: JsonObject | undefined },
  options: McpUpstreamOptions,
  hooks: ConnectHooks,
): Promise<Attempt> {
  const { clock, signal, access } = hooks;
  let problem: AccessProblem | undefined;
  // Remembered here, since the SDK keeps only the message of what breaks an event stream.
  const fetch: typeof globalThis.fetch | undefined =
    access &&
    ((input, init) =>
      access.fetch(input, init).catch((error: unknown) => {
        problem = accessProblemIn(error) ?? problem;
        throw error;
      }));
  const wire: Wire = createWire(config, kind, {
    clock,
    stderrBytes: options.stderrBytes ?? 8_192,
    messageBytes: options.messageBytes ?? 64 << 20,
    graceMs: options.graceMs ?? 1_000,
    onNote: hooks.onNote,
    ...(options.spawn === undefined ? {} : { spawn: options.spawn }),
    ...(fetch === undefined ? {} : { fetch }),
  });
  try {
    const connection = await openConnection(wire, {
      server,
      clock,
      signal,
      ...known,
      probeMs: options.probeTimeoutMs ?? 4_000,
      connectMs: options.connectTimeoutMs ?? 60_000,
      clientInfo: options.clientInfo ?? { name: "callgate", version: "0.1.0" },
      elicits: options.elicits === true,
      onToolsChanged: hooks.onToolsChanged,
      onNote: hooks.onNote,
      onClosed: hooks.onClosed,
    });
    return { connection };
  } catch (error) {
    const failure = readFailure(error, { sent: false, session: false });
    return { error, why: wire.describeEnd(failure.message), problem: accessProblemIn(error) ?? problem };
  }
}
