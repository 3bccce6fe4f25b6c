// Owns a stdio server's process: start, messages both ways, its stderr, and the end of its whole tree.
import type { ChildProcess, spawn as nodeSpawn } from "node:child_process";
import type { Socket } from "node:net";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { pause, settledWithin, type Clock } from "./clock.ts";
import { createLineReader } from "./lines.ts";
import { printable, withoutSecrets } from "./printable.ts";
import { adopt, release, signalTree } from "./process-tree.ts";

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Shown in messages instead of the command. */
  readonly label: string;
  /** Taken out of what the server writes before it is cut for a message. */
  readonly secrets: readonly string[];
  readonly spawn: typeof nodeSpawn;
  readonly clock: Clock;
  /** How much of the end of stderr is kept, bytes. */
  readonly stderrBytes: number;
  /** One message, bytes; longer ones are answered by an error in the server's place. */
  readonly messageBytes: number;
  /** From closing stdin to SIGTERM, and from there to SIGKILL, ms. */
  readonly graceMs: number;
  readonly onNote: (note: string) => void;
}

export interface StdioTransport extends Transport {
  /** Why it ended, or `otherwise` when it did not end by itself, and what it last wrote to stderr. */
  describeEnd(otherwise: string): string;
}

const DRAIN_MS = 500;
const never = new AbortController().signal;

export function createStdioTransport(options: StdioOptions): StdioTransport {
  const { clock } = options;
  let child: ChildProcess | undefined;
  let ended: string | undefined;
  let stderr: Buffer = Buffer.alloc(0);
  let closing: Promise<void> | undefined;
  let closed = false;
  let ending = false;
  /** Ids of requests without an answer. */
  const unanswered = new Set<string | number>();
  const exit = Promise.withResolvers<void>();
  const piped = Promise.withResolvers<void>();

  const transport: StdioTransport = {
    async start() {
      if (child !== undefined || closing !== undefined) throw new Error("already started");
      // Security: own process group, so that close() reaches what the server started (npx and uvx are wrappers).
      const started = options.spawn(options.command, [...options.args], {
        env: { ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
        shell: false,
        windowsHide: true,
        detached: process.platform !== "win32",
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      });
      child = started;
      if (started.pid !== undefined) adopt(started.pid);
      listen(started);
      await new Promise<void>((resolve, reject) => {
        started.once("spawn", resolve);
        started.once("error", (error) => {
          ended ??= startProblem(error, options);
          exit.resolve();
          piped.resolve();
          reject(new Error(ended));
          finish();
        });
      });
    },
    send(message) {
      return new Promise((resolve, reject) => {
        const stdin = child?.stdin;
        if (!stdin?.writable || closing !== undefined) {
          reject(new Error("Not connected"));
          return;
        }
        asked(message);
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (!error) resolve();
          // Most often the first sign of an exit, whose code says more.
          else void exitWithin(DRAIN_MS).then(() => reject(error));
        });
      });
    },
    close: () => (closing ??= shutDown()),
    describeEnd(otherwise) {
      const whole = stderr.toString("utf8");
      // The first line of a full buffer is a part of one, and might be a part of a secret.
      const log = stderr.length < options.stderrBytes ? whole : whole.slice(whole.indexOf("\n") + 1);
      const lines = lastLines(withoutSecrets(log, options.secrets));
      const last = lines === "" ? "" : `; its last lines on stderr: ${lines}`;
      return `${ended ?? otherwise}${last}`;
    },
  };

  function listen(process: ChildProcess): void {
    const reader = createLineReader({ maxBytes: options.messageBytes, onLine, onOversize });
    process.stdout?.on("data", (chunk: Buffer) => reader.push(chunk));
    process.stderr?.on("data", (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk.subarray(-options.stderrBytes)]).subarray(-options.stderrBytes);
    });
    // A broken pipe shows as the end of the process; without a listener it would be an uncaught exception.
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream?.on("error", () => {});
    process.once("close", () => piped.resolve());
    process.stdout?.once("end", () => void outputEnded());
    process.once("exit", (code, signal) => {
      // An exit that we brought about explains nothing.
      if (closing === undefined) {
        ended ??= signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
      }
      exit.resolve();
      void (closing ??= afterExit());
    });
  }

  /** Most often the first sign of an exit; else the server can never answer again. */
  async function outputEnded(): Promise<void> {
    await exitWithin(DRAIN_MS);
    if (closing === undefined) ended ??= "it closed its stdout";
    await transport.close();
  }

  function onLine(line: string): void {
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      message = undefined;
    }
    if (typeof message === "object" && message !== null) {
      for (const one of Array.isArray(message) ? message : [message]) deliver(one as JSONRPCMessage);
    } else {
      const told = printable(withoutSecrets(line.slice(0, 10_000), options.secrets), 80);
      options.onNote(`wrote a line to stdout that is no message, skipped: ${told}`);
    }
  }

  /** A server that has nothing to answer does not keep this process from ending; its exit hook ends the server. */
  function hold(): void {
    const change = unanswered.size > 0 || ending ? "ref" : "unref";
    child?.[change]();
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) {
      // One without a handle would wait for one, and warn when asked often.
      if (stream?.destroyed === false) (stream as Socket)[change]();
    }
  }

  function asked(message: JSONRPCMessage): void {
    if ("method" in message) {
      if ("id" in message) unanswered.add(message.id);
      // A server need not answer what was cancelled.
      else if (message.method === "notifications/cancelled")
        unanswered.delete(message.params?.["requestId"] as string);
    }
    hold();
  }

  function deliver(message: JSONRPCMessage): void {
    if (!("method" in message) && "id" in message && message.id !== undefined) unanswered.delete(message.id);
    hold();
    try {
      transport.onmessage?.(message);
    } catch {
      // Security: we are in an event handler of a stream; what is thrown here would end this process.
      options.onNote("sent a message that could not be handled, skipped");
    }
  }

  function onOversize(head: string, tail: string): void {
    const mb = Math.round(options.messageBytes / (1 << 20));
    options.onNote(`sent a message of more than ${mb} MB, skipped`);
    const id =
      /^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)/.exec(head) ?? /"id":\s*(\d+)\}\s*$/.exec(tail);
    if (id === null) {
      // Whose answer it was is unknown; only the end of the connection frees the one who waits.
      ended ??= `it sent a message of more than ${mb} MB`;
      void transport.close();
      return;
    }
    const error = { code: -32_603, message: `the answer is larger than ${mb} MB; ask for less at a time` };
    deliver({ jsonrpc: "2.0", id: Number(id[1]), error });
  }

  async function shutDown(): Promise<void> {
    const pid = child?.pid;
    if (child === undefined || pid === undefined) return finish();
    const process = child;
    ending = true;
    hold();
    process.stdin?.end();
    await exitWithin(options.graceMs);
    if (process.exitCode === null && process.signalCode === null) {
      signalTree(pid, "SIGTERM");
      await exitWithin(options.graceMs);
    }
    await afterExit();
  }

  /** Ends what the process left behind, reads the rest of its output, and reports the end. */
  async function afterExit(): Promise<void> {
    const pid = child?.pid;
    if (pid !== undefined) {
      if (signalTree(pid, "SIGTERM")) await leftWithin(pid, 200);
      if (signalTree(pid, "SIGKILL")) await leftWithin(pid, 500);
      await exitWithin(options.graceMs);
      await settledWithin(clock, piped.promise, DRAIN_MS);
      release(pid);
    }
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    finish();
  }

  function exitWithin(ms: number): Promise<void> {
    return settledWithin(clock, exit.promise, ms);
  }

  async function leftWithin(pid: number, ms: number): Promise<void> {
    for (let waited = 0; waited < ms && signalTree(pid, 0); waited += 10) await pause(clock, 10, never);
  }

  function finish(): void {
    if (closed) return;
    closed = true;
    transport.onclose?.();
  }

  return transport;
}

function startProblem(error: Error, options: StdioOptions): string {
  const { code } = error as NodeJS.ErrnoException;
  const command = JSON.stringify(options.label);
  if (code === "ENOENT") {
    const folder = options.cwd === undefined ? "" : ", or its cwd does not exist";
    return `its command ${command} was not found${folder}; install it or give the full path`;
  }
  if (code === "EACCES") return `its command ${command} may not be executed; check the file's permissions`;
  return `its command ${command} could not be started (${code ?? "unknown reason"})`;
}

/** The end of a log without blank lines and stack frames, which would hide what happened. */
function lastLines(log: string): string {
  const told = log.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v\d/.test(line));
  const end = printable(told.slice(-6).join(" ⏎ "), 8_192);
  return end.length <= 600 ? end : `…${end.slice(-599)}`.toWellFormed();
}
