// Owns the making of upstreams from a configuration: MCP servers, local functions, and stand-ins for what cannot be used.
import { CallgateError } from "../contract/error.ts";
import { peerOf, type Peer } from "./telemetry.ts";
import type { CatalogMemory } from "./upstream/catalog-store.ts";
import { parseServers, printingOf } from "./upstream/config.ts";
import type { LocalTool } from "./upstream/define-tool.ts";
import { createLocalUpstream } from "./upstream/local.ts";
import { createMcpUpstream } from "./upstream/mcp.ts";
import { createUnusableUpstream } from "./upstream/unusable.ts";
import type { Upstream } from "./upstream/upstream.ts";

export interface UpstreamSettings {
  readonly servers: unknown;
  readonly tools: Readonly<Record<string, Readonly<Record<string, LocalTool>>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A name no upstream may have. */
  readonly reserved: string;
  /** Where tool lists outlive the process. */
  readonly memory?: CatalogMemory | undefined;
}

export interface ConfiguredUpstreams {
  readonly upstreams: readonly Upstream[];
  /** Values that must not reach an output. */
  readonly secrets: readonly string[];
  /** How each MCP server is reached, for traces. */
  readonly peers: ReadonlyMap<string, Peer>;
  readonly warnings: readonly string[];
}

/** Nothing is started. Throws CONFIG_INVALID with the path inside. */
export function createUpstreams(settings: UpstreamSettings): ConfiguredUpstreams {
  const { servers, failed, warnings } = parseServers(settings.servers, { env: settings.env });
  const names = new Set<string>([settings.reserved]);
  const claim = (name: string, path: string): void => {
    if (names.has(name)) {
      const why = name === settings.reserved ? "is Callgate's own name" : "is the name of another server";
      throw new CallgateError("CONFIG_INVALID", `${path}: ${JSON.stringify(name.slice(0, 80))} ${why}`);
    }
    names.add(name);
  };
  const upstreams: Upstream[] = [];
  for (const [name, config] of servers) {
    claim(name, "servers");
    upstreams.push(createMcpUpstream(name, config, { memory: settings.memory }));
  }
  for (const [name, reason] of failed) {
    claim(name, "servers");
    upstreams.push(createUnusableUpstream(name, reason));
  }
  for (const [namespace, tools] of Object.entries(settings.tools)) {
    claim(namespace, "tools");
    upstreams.push(createLocalUpstream(namespace, tools));
  }
  const peers = new Map([...servers].map(([name, config]) => [name, peerOf(config)]));
  return {
    upstreams,
    secrets: [...servers.values()].flatMap((config) => printingOf(config).secrets),
    peers,
    warnings,
  };
}
