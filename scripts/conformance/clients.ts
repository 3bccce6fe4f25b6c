// Owns the clients of one conformance run: all in this process, few at a time, each on the socket of its relay.
// The suite starts dozens at once, and as many gates on a small machine would all run out of time.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runClient, type ClientTask } from "./client.ts";

const AT_ONCE = 2;

export interface Clients extends AsyncDisposable {
  /** Where a relay connects. */
  readonly address: string;
}

export async function serveClients(): Promise<Clients> {
  const folder = mkdtempSync(join(tmpdir(), "callgate-conformance-"));
  const address =
    process.platform === "win32" ? `\\\\.\\pipe\\${folder.replace(/\W+/g, "-")}` : join(folder, "socket");
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let open = 0;

  async function serve(socket: Socket): Promise<void> {
    const gone = new AbortController();
    socket.on("close", () => gone.abort(new Error("the suite ended the client")));
    socket.on("error", () => socket.destroy());
    const lines = createInterface({ input: socket });
    const line = await new Promise<string>((resolve) => lines.once("line", resolve));
    if (open >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else open += 1;
    try {
      if (!gone.signal.aborted) {
        socket.end(JSON.stringify(await runClient(JSON.parse(line) as ClientTask, gone.signal)));
      }
    } finally {
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  }

  const server = createServer({ allowHalfOpen: false }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket).catch((error: unknown) => socket.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, resolve);
  });
  return {
    address,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
