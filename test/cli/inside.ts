// Runs the command line inside the test's own process, with streams and signals of its own.
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { createInterrupt, type EndSignal, type Interrupt } from "../../cli/interrupt.ts";
import { createScreen } from "../../cli/screen.ts";
import { runCommandLine } from "../../cli/start.ts";
import type { Input, Output } from "../../cli/world.ts";

export interface FakeStream {
  readonly stream: PassThrough & Input & Output;
  /** All that was written so far. */
  readonly text: () => string;
}

export function fakeStream(options: { readonly tty?: boolean; readonly columns?: number } = {}): FakeStream {
  const { tty = false, columns = 80 } = options;
  const stream = Object.assign(new PassThrough(), { isTTY: tty, columns, setRawMode: () => {} });
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { stream, text: () => text };
}

/** Streams without a listener, so that the command reads them. */
export function fakeInput(options: { readonly tty?: boolean } = {}): PassThrough & Input {
  return Object.assign(new PassThrough(), { isTTY: options.tty ?? false, setRawMode: () => {} });
}

/** Tests start servers of their own; those about trust say otherwise. */
const TRUSTING = { CALLGATE_TRUST: "all" };

export interface InsideOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @defaultValue none: nothing is remembered */
  readonly home?: string;
  readonly tty?: boolean;
  readonly stdin?: PassThrough & Input;
}

export interface Inside {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly interrupt: Interrupt;
  readonly code: Promise<number>;
  signal(name: EndSignal): void;
}

export function inside(args: readonly string[], options: InsideOptions): Inside {
  const out = fakeStream({ tty: options.tty ?? false });
  const err = fakeStream({ tty: options.tty ?? false });
  const source = new EventEmitter();
  const interrupt = createInterrupt({
    source,
    now: () => performance.now(),
    exitNow: () => {
      throw new Error("ended at once");
    },
  });
  const world = {
    argv: args,
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", ...TRUSTING, ...options.env },
    cwd: options.cwd,
    platform: process.platform,
    home: options.home ?? "",
    stdin: options.stdin ?? fakeInput({ tty: options.tty ?? false }),
    stdout: out.stream,
    stderr: err.stream,
    version: "1.2.3",
    nodeVersion: "v24.0.0",
  };
  const screen = createScreen(world, { closed: interrupt.stop });
  const code = runCommandLine({ world, screen, interrupt }).then(async (ended) => {
    await screen.flush();
    return ended;
  });
  return { stdout: out.text, stderr: err.text, interrupt, code, signal: (name) => void source.emit(name) };
}

export interface Words {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** To its end, without a terminal. */
export async function words(
  args: readonly string[],
  options: Omit<InsideOptions, "stdin" | "tty"> & { readonly input?: string | Buffer },
): Promise<Words> {
  const stdin = fakeInput();
  stdin.end(options.input ?? "");
  const ended = inside(args, { ...options, stdin });
  const code = await ended.code;
  return { code, stdout: ended.stdout(), stderr: ended.stderr() };
}
