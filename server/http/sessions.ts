// Owns the sessions of clients that open one (protocol revisions up to 2025-11-25): one principal and one instance each.
import { randomUUID } from "node:crypto";
import {
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type Server,
} from "@modelcontextprotocol/server";

export interface SessionsOptions {
  /** Makes the instance of a session. `busy` counts its runs. */
  readonly open: (facts: { readonly sessionId: string; readonly holder: string | undefined }) => {
    readonly server: Server;
    readonly busy: () => boolean;
  };
  readonly maxRequestBodySize: number;
  /** Sessions at one time. @defaultValue 128 */
  readonly most?: number;
  readonly now: () => number;
}

export interface Sessions extends AsyncDisposable {
  fetch(
    request: Request,
    options: { readonly authInfo: AuthInfo; readonly holder: string | undefined },
  ): Promise<Response>;
}

interface Session {
  readonly id: string;
  readonly holder: string | undefined;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly busy: () => boolean;
  usedAt: number;
}

const IDLE_MS = 3_600_000;

export function createSessions(options: SessionsOptions): Sessions {
  const { now, most = 128 } = options;
  const sessions = new Map<string, Session>();

  async function makeRoom(): Promise<boolean> {
    const idle = [...sessions.values()].filter((one) => !one.busy()).toSorted((a, b) => a.usedAt - b.usedAt);
    const stale = idle.filter(({ usedAt }) => now() - usedAt > IDLE_MS);
    if (stale.length === 0 && sessions.size >= most) stale.push(...idle.slice(0, 1));
    await Promise.all(stale.map((one) => one.server.close()));
    return sessions.size < most;
  }

  async function open(request: Request, authInfo: AuthInfo, holder: string | undefined): Promise<Response> {
    if (!(await makeRoom())) return problem(503, -32_000, "Too many sessions are at work; try again later.");
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: options.maxRequestBodySize,
      onsessioninitialized: () => {
        sessions.set(id, { id, holder, server, transport, busy, usedAt: now() });
      },
    });
    const { server, busy } = options.open({ sessionId: id, holder });
    server.onclose = () => sessions.delete(id);
    await server.connect(transport);
    const response = await transport.handleRequest(request, { authInfo });
    if (!sessions.has(id)) await server.close();
    return response;
  }

  return {
    async fetch(request, { authInfo, holder }) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return open(request, authInfo, holder);
      const session = sessions.get(id);
      // Security: another holder's session reads as one that never was.
      if (session === undefined || session.holder !== holder)
        return problem(404, -32_001, "Session not found");
      session.usedAt = now();
      return session.transport.handleRequest(request, { authInfo });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}

function problem(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
