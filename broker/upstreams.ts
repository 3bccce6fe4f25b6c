// Owns the making of upstreams from a configuration: MCP servers, local functions, and stand-ins for what cannot be used.
import { CallgateError } from "../contract/error.ts";
import type { LiveSecrets } from "./live-secrets.ts";
import { peerOf, type Peer } from "./telemetry.ts";
import type { TokenStore } from "./upstream/auth/token-store.ts";
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
  /** Where sign-ins are kept. @defaultValue in memory */
  readonly tokens?: TokenStore | undefined;
  /** Gets what must not reach an output as it comes into being. */
  readonly live: LiveSecrets;
  /** A name no upstream may have. */
  readonly reserved: string;
  /** Where tool lists outlive the process. */
  readonly memory?: CatalogMemory | undefined;
  /** Servers are told that a person may be asked. */
  readonly elicits: boolean;
}

export interface ConfiguredUpstreams {
  readonly upstreams: readonly Upstream[];
  /** How each MCP server is reached, for traces; grows with `add`. */
  readonly peers: ReadonlyMap<string, Peer>;
  readonly warnings: readonly string[];
  /** One more server; nothing is started. Throws CONFIG_INVALID for a name that is taken, too. */
  add(name: string, config: unknown): Upstream;
  /** The name may be given to another server. */
  release(name: string): void;
}

/** Nothing is started. `onSecrets` gets values that must not reach an output. Throws CONFIG_INVALID with the path inside. */
export function createUpstreams(
  settings: UpstreamSettings,
  onSecrets: (secrets: readonly string[]) => void,
): ConfiguredUpstreams {
  const names = new Set<string>([settings.reserved]);
  const peers = new Map<string, Peer>();
  const warnings: string[] = [];
  const claim = (name: string, path: string): void => {
    if (names.has(name)) {
      const why = name === settings.reserved ? "is Callgate's own name" : "is the name of another server";
      throw new CallgateError("CONFIG_INVALID", `${path}: ${JSON.stringify(name.slice(0, 80))} ${why}`);
    }
    names.add(name);
  };
  const { env, tokens, live } = settings;
  const http = { env, secrets: live, ...(tokens === undefined ? {} : { tokens }) };
  const serversOf = (given: unknown): readonly Upstream[] => {
    const parsed = parseServers(given, { env: settings.env });
    warnings.push(...parsed.warnings);
    const servers = [...parsed.servers].map(([name, config]) => {
      claim(name, "servers");
      peers.set(name, peerOf(config));
      onSecrets(printingOf(config).secrets);
      const { memory, elicits } = settings;
      return createMcpUpstream(name, config, { memory, elicits, http });
    });
    const failed = [...parsed.failed].map(([name, reason]) => {
      claim(name, "servers");
      return createUnusableUpstream(name, reason);
    });
    return [...servers, ...failed];
  };
  const locals = Object.entries(settings.tools).map(([namespace, tools]) => () => {
    claim(namespace, "tools");
    return createLocalUpstream(namespace, tools);
  });
  return {
    upstreams: [...serversOf(settings.servers), ...locals.map((make) => make())],
    peers,
    warnings,
    add(name, config) {
      const [upstream] = serversOf({ [name]: config });
      if (upstream === undefined)
        throw new CallgateError("CONFIG_INVALID", `mcpServers.${name}: a disabled server cannot be added`);
      return upstream;
    },
    release: (name) => void names.delete(name),
  };
}
