// Owns the choice of transport for a configuration, with one way to close any of them.
import { spawn } from "node:child_process";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import type { Transport } from "@modelcontextprotocol/client";
import { CallgateError } from "../../contract/error.ts";
import type { Clock } from "./clock.ts";
import { printingOf, type McpServerConfig } from "./config.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createStdioTransport } from "./stdio-transport.ts";

/** What upstreams may use of the world; the defaults are the real thing. */
export interface WirePowers {
  readonly clock: Clock;
  readonly spawn?: typeof spawn;
  /** For HTTP servers. */
  readonly fetch?: typeof globalThis.fetch;
  readonly stderrBytes: number;
  readonly messageBytes: number;
  readonly graceMs: number;
  readonly onNote: (note: string) => void;
}

export interface Wire {
  readonly kind: "stdio" | "http" | "sse";
  readonly transport: Transport;
  hasSession(): boolean;
  endSession(): Promise<void>;
  /** After this no process, socket or timer is left. */
  close(): Promise<void>;
  /** Why the connection ended, as far as the transport knows better than `otherwise`. */
  describeEnd(otherwise: string): string;
}

export type WireKind = Wire["kind"];

/** The transports to try, in order. */
export function wireKinds(config: McpServerConfig): readonly WireKind[] {
  if (config.command !== undefined) return ["stdio"];
  if (config.type === "sse") return ["sse"];
  return config.type === undefined ? ["http", "sse"] : ["http"];
}

export function createWire(config: McpServerConfig, kind: WireKind, powers: WirePowers): Wire {
  if (kind === "stdio") return createStdioWire(config, powers);
  const { fetch } = powers;
  if (config.url === undefined || fetch === undefined)
    throw new CallgateError("CONFIG_INVALID", "the server has neither command nor url");
  const http = createHttpTransport({
    url: config.url,
    headers: config.headers ?? {},
    kind,
    messageBytes: powers.messageBytes,
    fetch,
  });
  return {
    kind,
    transport: http.transport,
    // An SSE session is its stream, whose id is part of the address that calls are posted to.
    hasSession: () => kind === "sse" || http.transport.sessionId !== undefined,
    endSession: () => http.endSession(),
    close: () => http.transport.close().catch(() => {}),
    describeEnd: (otherwise) => otherwise,
  };
}

function createStdioWire(config: McpServerConfig, powers: WirePowers): Wire {
  const transport = createStdioTransport({
    command: config.command ?? "",
    args: config.args ?? [],
    // Security: a server gets PATH, HOME and the like and what its entry names, never the whole environment.
    env: { ...getDefaultEnvironment(), ...config.env },
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    ...printingOf(config),
    spawn: powers.spawn ?? spawn,
    clock: powers.clock,
    stderrBytes: powers.stderrBytes,
    messageBytes: powers.messageBytes,
    graceMs: powers.graceMs,
    onNote: powers.onNote,
  });
  return {
    kind: "stdio",
    transport,
    hasSession: () => false,
    endSession: async () => {},
    close: () => transport.close(),
    describeEnd: (otherwise) => transport.describeEnd(otherwise),
  };
}
