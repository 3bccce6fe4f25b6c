// Owns the making of a connection from a configuration: transports and eras tried in order, failures put into words.
import type { spawn } from "node:child_process";
import { SdkError } from "@modelcontextprotocol/client";
import type { Clock } from "./clock.ts";
import type { McpServerConfig } from "./config.ts";
import { openConnection, type Connection } from "./connection.ts";
import { eraKey, forgetEra, rememberedEra, rememberEra, type Era } from "./era.ts";
import { readFailure } from "./failure.ts";
import { createWire, wireKinds, type Wire, type WireKind } from "./wire.ts";

/** Powers and bounds of one MCP upstream; the defaults are meant for use. */
export interface McpUpstreamOptions {
  readonly clock?: Clock;
  readonly spawn?: typeof spawn;
  readonly fetch?: typeof globalThis.fetch;
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
  /** How Callgate names itself. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

export interface ConnectHooks {
  readonly clock: Clock;
  /** Aborts the attempt; nothing of it is left when the promise settles. */
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

type Attempt = { readonly connection: Connection } | { readonly error: unknown; readonly why: string };

/** Rejects with an error whose message is the reason, for a person to read. */
export async function connectServer(
  server: string,
  config: McpServerConfig,
  options: McpUpstreamOptions,
  hooks: ConnectHooks,
): Promise<Connection> {
  const key = eraKey(config);
  const configured = config.protocolEra === "auto" ? undefined : config.protocolEra;
  let why = "";
  for (const kind of wireKinds(config)) {
    let era: Era | undefined = kind === "sse" ? "legacy" : (configured ?? rememberedEra(key));
    for (;;) {
      const attempt = await tryOnce(server, config, kind, era, options, hooks);
      if ("connection" in attempt) {
        if (kind !== "sse") rememberEra(key, attempt.connection.era);
        return attempt.connection;
      }
      hooks.signal.throwIfAborted();
      why = attempt.why;
      if (configured !== undefined || kind === "sse" || !SdkError.isInstance(attempt.error)) break;
      if (era === undefined) {
        // Some servers die of any request before `initialize`: those are of the older era.
        if (kind !== "stdio" || attempt.error.code !== "ERA_NEGOTIATION_FAILED") break;
        era = "legacy";
        forgetEra(key);
      } else {
        // What was learned does not hold any more; the server may have been replaced.
        if (rememberedEra(key) === undefined) break;
        era = undefined;
        forgetEra(key);
      }
    }
    if (kind === "http" && !meansOlderTransport(why)) break;
  }
  throw new Error(why);
}

function meansOlderTransport(why: string): boolean {
  return /HTTP (?:400|404|405)\b/.test(why);
}

async function tryOnce(
  server: string,
  config: McpServerConfig,
  kind: WireKind,
  era: Era | undefined,
  options: McpUpstreamOptions,
  hooks: ConnectHooks,
): Promise<Attempt> {
  const { clock, signal } = hooks;
  const wire: Wire = createWire(config, kind, {
    clock,
    stderrBytes: options.stderrBytes ?? 8_192,
    messageBytes: options.messageBytes ?? 64 << 20,
    graceMs: options.graceMs ?? 1_000,
    connectTimeoutMs: Math.min(options.connectTimeoutMs ?? 60_000, 15_000),
    onNote: hooks.onNote,
    ...(options.spawn === undefined ? {} : { spawn: options.spawn }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  try {
    const connection = await openConnection(wire, {
      server,
      clock,
      signal,
      era,
      probeMs: options.probeTimeoutMs ?? 4_000,
      connectMs: options.connectTimeoutMs ?? 60_000,
      clientInfo: options.clientInfo ?? { name: "callgate", version: "0.1.0" },
      onToolsChanged: hooks.onToolsChanged,
      onClosed: hooks.onClosed,
    });
    return { connection };
  } catch (error) {
    const failure = readFailure(error, { sent: false, session: false });
    return { error, why: wire.describeEnd(failure.message) };
  }
}
