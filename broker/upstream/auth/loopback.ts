// Owns the receiver of a browser's return: a server on this machine for one answer, and nothing it was sent in its page.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AccessProblem } from "../access-problem.ts";
import { raced } from "../clock.ts";

export interface Loopback extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/callback`. */
  readonly redirectUri: string;
  /** The parameters of the first return with this `state`; all others are turned away. */
  receive(state: string, signal: AbortSignal): Promise<URLSearchParams>;
}

const PATH = "/callback";
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

/** `port`: must be free; `preferred`: taken when it is. Without both any free one is taken. Throws AccessProblem. */
export async function openLoopback(ports: {
  readonly port?: number | undefined;
  readonly preferred?: number | undefined;
}): Promise<Loopback> {
  let expected: string | undefined;
  let arrived: (parameters: URLSearchParams) => void = () => {};
  const parameters = new Promise<URLSearchParams>((resolve) => (arrived = resolve));
  const server = createServer((request, response) => answer(request, response));
  server.maxConnections = 20;
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    const right = request.method === "GET" && url?.pathname === PATH;
    // Security: any page may send a browser here. Only who was sent out with the state knows it.
    if (url === null || !right || expected === undefined || url.searchParams.get("state") !== expected) {
      response.writeHead(right ? 400 : 404, HEADERS).end(page("This is not the sign-in that is waited for."));
      return;
    }
    const said = url.searchParams.has("code") ? "Signed in" : "Not signed in";
    response
      .writeHead(200, HEADERS)
      .end(page(`${said}. You can close this page and go back to the terminal.`));
    arrived(url.searchParams);
  }

  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  try {
    await listen(ports.port ?? ports.preferred ?? 0);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (ports.port !== undefined)
      throw new AccessProblem(`port ${ports.port} of oauth.callbackPort cannot be listened on (${code})`);
    await listen(0);
  }
  // A connection that cannot be accepted is lost; the next may be the one that is waited for.
  server.on("error", () => {});
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    receive(state, signal) {
      expected = state;
      return raced(parameters, signal);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // The page that was just answered is on its way; what stays open longer is not waited for.
      const cut = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(cut);
    },
  };
}

function page(text: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Callgate</title><p>${text}</p>\n`;
}
