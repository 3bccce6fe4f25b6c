// A provider's API on loopback, for real SDK clients: it says what a scripted model says, and refuses what it must.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ProviderRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Provider extends AsyncDisposable {
  readonly url: string;
}

/** What `answer` throws, an assertion for instance, is the message of a 400, which clients do not retry. */
export async function openProvider(answer: (request: ProviderRequest) => unknown): Promise<Provider> {
  const server = createServer((request, response) => {
    void (async () => {
      const sent = await text(request);
      let status = 200;
      let body: unknown;
      try {
        body = answer({ path: request.url ?? "", headers: request.headers, body: JSON.parse(sent) });
      } catch (error) {
        status = 400;
        body = { type: "error", error: { type: "invalid_request_error", message: (error as Error).message } };
      }
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
