// Owns how HTTP servers are reached: one pool per server, no body time limit, redirects never followed elsewhere.
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { Agent, fetch as undiciFetch } from "undici";

export interface HttpTransport {
  readonly transport: Transport;
  /** Ends a session of the older era, if there is one; best effort. */
  endSession(): Promise<void>;
  /** Frees the sockets; after `transport.close()`. */
  release(): Promise<void>;
}

export interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: "http" | "sse";
  /** Replaces undici, for tests and proxies. */
  readonly fetch?: typeof globalThis.fetch;
  /** TCP and TLS, ms. */
  readonly connectTimeoutMs: number;
}

export function createHttpTransport(options: HttpOptions): HttpTransport {
  // A call may stay silent for longer than the 300 seconds that are the default: its deadline is kept elsewhere.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectTimeoutMs },
  });
  const viaAgent = (input: unknown, init: unknown): Promise<unknown> =>
    undiciFetch(input as string, { ...(init as object), dispatcher: agent });
  const fetch = options.fetch ?? (viaAgent as unknown as typeof globalThis.fetch);
  const settings = { fetch, requestInit: { headers: { ...options.headers } } };
  const url = new URL(options.url);
  if (options.kind === "sse") {
    const transport = new SSEClientTransport(url, settings);
    return { transport, endSession: async () => {}, release: () => agent.destroy() };
  }
  const transport = new StreamableHTTPClientTransport(url, settings);
  return {
    transport,
    endSession: () => transport.terminateSession().catch(() => {}),
    release: () => agent.destroy(),
  };
}
