// Owns the stdio connection: one client, for as long as its pipe is open.
import { Writable, type Readable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createProtocol, type Shared } from "./protocol.ts";

export interface StdioStreams {
  /** @defaultValue process.stdin */
  readonly stdin?: Readable;
  /** Nothing but the protocol may reach it. @defaultValue process.stdout, whose other writers are sent to stderr */
  readonly stdout?: Writable;
}

export interface StdioServing extends AsyncDisposable {
  /** Resolves when the client has closed its end. */
  readonly closed: Promise<void>;
}

/** One process is one client, so the principal needs no further name. */
const PRINCIPAL = "stdio";

export function openStdio(shared: Shared, streams: StdioStreams): StdioServing {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { stdin = process.stdin, stdout: given = process.stdout } = streams;
  const stdout = given === process.stdout ? claimStdout(process.stdout, process.stderr) : given;
  const transport = new (class extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close();
      resolve();
    }
  })(stdin, stdout);
  const handle = serveStdio(({ era }) => createProtocol(shared, { era, principal: PRINCIPAL }), {
    transport,
    onerror: shared.onError,
  });
  return { closed, [Symbol.asyncDispose]: () => handle.close() };
}

/** Security: a stray line on stdout would be read as the protocol; from here on everything else goes to stderr. */
export function claimStdout(stdout: Writable, stderr: Writable): Writable {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) =>
      void write(chunk, typeof chunk === "string" ? encoding : "utf8", (error) => done(error ?? null)),
  });
}
