// Owns running scripts against the guest's globals: a fresh isolate each, in a child process of the test file.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface GuestOptions {
  /** 32 hex digits. */
  readonly seed?: string;
  readonly timeZone?: string;
  /** Start of the run, ms since the epoch. */
  readonly at?: number;
  readonly maxTimers?: number;
  /** Lines of output kept. */
  readonly maxLines?: number;
  /** Code run in the bare isolate, before the globals are installed. */
  readonly before?: string;
}

export interface GuestResult {
  readonly logs: readonly { readonly level: string; readonly text: string }[];
  readonly unhandled: readonly string[];
  /** `""` when the script completed, else the text of what it threw. */
  readonly end: string;
}

export interface Guests extends AsyncDisposable {
  readonly run: (script: string, options?: GuestOptions) => Promise<GuestResult>;
  /** The lines that a script logs; it must complete. */
  readonly output: (script: string, options?: GuestOptions) => Promise<readonly string[]>;
  /** The JSON value that a script returns; it must complete. */
  readonly value: (script: string, options?: GuestOptions) => Promise<unknown>;
}

const child = fileURLToPath(new URL("./guest-child.cjs", import.meta.url));
const entry = fileURLToPath(new URL("../fixtures/guest/entry.ts", import.meta.url));
const DEFAULTS = {
  seed: "0123456789abcdeffedcba9876543210",
  timeZone: "UTC",
  at: 1_750_000_000_000,
  maxTimers: 1_000,
  maxLines: 1_000,
};

/** The guest as it is built for the worker, with a stand-in for the worker's side. */
export async function buildGuest(): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "neutral",
    mainFields: ["module", "main"],
    format: "iife",
    globalName: "__guest",
    target: "es2024",
    minify: true,
    legalComments: "none",
  });
  return built.outputFiles[0]?.text ?? "";
}

/** One line for the child. Its reader also ends a line at U+2028 and U+2029, which JSON text may hold. */
function asLine(value: unknown): string {
  const text = JSON.stringify(value).replace(/[\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  return `${text}\n`;
}

/** Starts the child; `jit` as `sandbox.jit`. */
export async function startGuests(jit = false): Promise<Guests> {
  const bundle = await buildGuest();
  const node = spawn(process.execPath, ["--no-node-snapshot", ...(jit ? [] : ["--jitless"]), child], {
    env: { TZ: "UTC" },
  });
  const waiting = new Map<number, PromiseWithResolvers<GuestResult>>();
  let errors = "";
  let lastId = 0;
  node.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  node.stdin.on("error", () => undefined);
  createInterface({ input: node.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: GuestResult };
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  const closed = new Promise<void>((resolve) => {
    node.once("close", (code) => {
      const reason = new Error(`the guest's process ended with ${code}: ${errors.slice(0, 2_000)}`);
      for (const { reject } of waiting.values()) reject(reason);
      resolve();
    });
  });
  node.stdin.write(asLine({ bundle }));

  const run = (script: string, options: GuestOptions = {}): Promise<GuestResult> => {
    const id = ++lastId;
    const answer = Promise.withResolvers<GuestResult>();
    waiting.set(id, answer);
    node.stdin.write(asLine({ id, script, ...DEFAULTS, ...options }));
    return answer.promise;
  };
  const completed = async (script: string, options?: GuestOptions): Promise<GuestResult> => {
    const result = await run(script, options);
    if (result.end !== "") throw new Error(`the script ended with: ${result.end}`);
    return result;
  };
  return {
    run,
    output: async (script, options) => (await completed(script, options)).logs.map((line) => line.text),
    async value(script, options) {
      const code = `console.log(JSON.stringify(await (async () => {\n${script}\n})()) ?? "null");`;
      const { logs } = await completed(code, options);
      return JSON.parse(logs.at(-1)?.text ?? "null") as unknown;
    },
    async [Symbol.asyncDispose]() {
      node.stdin.end();
      await closed;
    },
  };
}
