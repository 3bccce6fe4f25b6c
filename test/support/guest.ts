// Owns running scripts against the guest's globals, in a real isolate of a child process.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface GuestRun {
  readonly script: string;
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

const child = fileURLToPath(new URL("./guest-child.cjs", import.meta.url));
const entry = fileURLToPath(new URL("../fixtures/guest/entry.ts", import.meta.url));

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
    legalComments: "none",
  });
  return built.outputFiles[0]?.text ?? "";
}

let bundle: Promise<string> | undefined;

/** Runs each script in a fresh isolate of one child process. */
export async function runGuests(runs: readonly GuestRun[]): Promise<readonly GuestResult[]> {
  bundle ??= buildGuest();
  const defaults = { seed: "0123456789abcdeffedcba9876543210", timeZone: "UTC", at: 1_750_000_000_000 };
  const request = {
    bundle: await bundle,
    runs: runs.map((run) => ({ ...defaults, maxTimers: 1_000, maxLines: 1_000, ...run })),
  };
  const node = spawn(process.execPath, ["--no-node-snapshot", "--jitless", child], { env: { TZ: "UTC" } });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  node.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  node.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  node.stdin.end(JSON.stringify(request));
  const code = await new Promise<number | null>((resolve, reject) => {
    node.once("error", reject);
    node.once("close", resolve);
  });
  if (code !== 0)
    throw new Error(
      `the guest's process ended with ${code}: ${Buffer.concat(err).toString().slice(0, 2_000)}`,
    );
  return JSON.parse(Buffer.concat(out).toString()) as readonly GuestResult[];
}

/** Runs one script. */
export async function runGuest(script: string, options: Omit<GuestRun, "script"> = {}): Promise<GuestResult> {
  const [result] = await runGuests([{ ...options, script }]);
  if (result === undefined) throw new Error("no result");
  return result;
}

/** The lines that a script logs. The script must complete. */
export async function outputOf(
  script: string,
  options: Omit<GuestRun, "script"> = {},
): Promise<readonly string[]> {
  const result = await runGuest(script, options);
  if (result.end !== "") throw new Error(`the script threw ${result.end}`);
  return result.logs.map((line) => line.text);
}
