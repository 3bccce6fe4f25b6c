// Owns the transports over HTTP: what is sent by them, bounded in what comes back.
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { labelRetryAfter } from "./retry-after.ts";

export interface HttpTransport {
  readonly transport: Transport;
  /** Ends a session of the older era, if there is one; best effort. */
  endSession(): Promise<void>;
}

export interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: "http" | "sse";
  readonly fetch: typeof globalThis.fetch;
  /** One message, bytes; a larger one breaks its response off. */
  readonly messageBytes: number;
}

export function createHttpTransport(options: HttpOptions): HttpTransport {
  const fetch: typeof globalThis.fetch = async (input, init) =>
    bounded(labelRetryAfter(await options.fetch(input, init)), options.messageBytes);
  const settings = { fetch, requestInit: { headers: { ...options.headers } } };
  const url = new URL(options.url);
  if (options.kind === "sse") {
    const transport = new SSEClientTransport(url, settings);
    return { transport, endSession: async () => {} };
  }
  const transport = new StreamableHTTPClientTransport(url, settings);
  return { transport, endSession: () => transport.terminateSession().catch(() => {}) };
}

/**
 * Security: a response without end must not fill the memory. An event stream may be endless as a whole, but no line of
 * it; anything else is bounded as a whole.
 */
function bounded(response: Response, limit: number): Response {
  const { body } = response;
  const length = response.headers.get("content-length");
  const known = length !== null && !response.headers.has("content-encoding") && Number(length) <= limit;
  if (body === null || known) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let since = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lineBreak = isStream ? chunk.lastIndexOf(0x0a) : -1;
      const before = isStream ? chunk.indexOf(0x0a) : -1;
      const longest = since + (before === -1 ? chunk.length : before);
      since = lineBreak === -1 ? since + chunk.length : chunk.length - lineBreak - 1;
      if (longest > limit) controller.error(new Error(`the answer is larger than ${limit >> 20} MB`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body.pipeThrough(counter), { status, statusText, headers: [...headers] });
}
