// Owns what tests of upstreams share: real servers as processes, and a clock that stands still.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../broker/upstream/clock.ts";
import type { McpServerConfig } from "../../../broker/upstream/config.ts";
import { createMcpUpstream, type McpUpstreamOptions } from "../../../broker/upstream/mcp.ts";
import type { Upstream, UpstreamResult } from "../../../broker/upstream/upstream.ts";
import type { JsonObject } from "../../../contract/json.ts";
import type { ToolDefinition } from "../../../contract/tool.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/servers/", import.meta.url));
const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

export const never: AbortSignal = new AbortController().signal;

/** The server without an SDK; its options are described in its first lines. */
export function rawServer(options: Record<string, unknown> = {}): McpServerConfig {
  return { command: process.execPath, args: [join(fixtures, "raw.mjs"), JSON.stringify(options)] };
}

/** The server of the newer era. */
export function modernServer(): McpServerConfig {
  return { command: process.execPath, args: [join(fixtures, "modern.mjs")] };
}

export function script(text: string): McpServerConfig {
  return { command: process.execPath, args: ["-e", text] };
}

/** A server from npm, by the bin of its package. */
export function packageServer(name: string, ...args: readonly string[]): McpServerConfig {
  const folder = join(modules, "@modelcontextprotocol", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: object };
  return { command: process.execPath, args: [join(folder, String(Object.values(bin)[0])), ...args] };
}

let unique = 0;

/** An upstream that is disposed at the end of the test. Its name is `srv`. */
export function open(config: McpServerConfig, options: McpUpstreamOptions = {}): Upstream {
  // An environment of its own keeps what one test learned about a server's era from the next.
  const own = config.command === undefined ? {} : { env: { ...config.env, TEST_RUN: String((unique += 1)) } };
  const upstream = createMcpUpstream("srv", { ...config, ...own }, options);
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  return upstream;
}

export function toolOf(name: string): ToolDefinition {
  return { server: "srv", name, inputSchema: { type: "object" } };
}

export interface Asked {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export function ask(
  upstream: Upstream,
  tool: string,
  args: JsonObject = {},
  options: Asked = {},
): Promise<UpstreamResult> {
  return upstream.call(toolOf(tool), args, { signal: never, timeoutMs: 20_000, ...options });
}

/** The text of a result's first block. */
export async function said(result: Promise<UpstreamResult>): Promise<string> {
  return textOf(await result);
}

export function textOf(result: UpstreamResult): string {
  const text = result.content[0]?.["text"];
  return typeof text === "string" ? text : "";
}

export async function names(upstream: Upstream): Promise<string[]> {
  return (await upstream.tools({ signal: never })).map(({ name }) => name);
}

/** What a promise rejects with. */
export async function thrown(work: Promise<unknown>): Promise<Error & { code: string; data: JsonObject }> {
  try {
    await work;
  } catch (error) {
    return error as Error & { code: string; data: JsonObject };
  }
  throw new Error("expected a rejection");
}

/** True while a process runs; one that ended and waits for its parent does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(dirname(stat))) return !existsSync("/proc");
  return !/^\d+ \(.*\) Z/s.test(readFileSync(stat, "utf8"));
}

/** Starts a server that prints the port it listens on; killed at the end of the test. */
export async function listening(
  config: McpServerConfig,
  env: Record<string, string> = {},
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const child = spawn(config.command ?? "", [...(config.args ?? [])], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(stop);
  let text = "";
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const found = /(?:^|port )(\d+)\s*$/m.exec(text);
      if (found !== null) resolve(Number(found[1]));
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`the server ended: ${text}`)));
  });
  return { port, stop };
}

/** Counts the processes started, and remembers them. */
export function countingSpawn(): { readonly spawn: typeof spawn; readonly pids: number[] } {
  const pids: number[] = [];
  const counting = ((...args: Parameters<typeof spawn>) => {
    const child = spawn(...args);
    if (child.pid !== undefined) pids.push(child.pid);
    return child;
  }) as typeof spawn;
  return { spawn: counting, pids };
}

export function modernHttpServer(): McpServerConfig {
  return { command: process.execPath, args: [join(fixtures, "modern.mjs"), "http"] };
}

export interface ManualClock extends Clock {
  /** Moves time and runs what falls due, in order. */
  advance(ms: number): void;
  readonly pending: number;
}

export function createManualClock(): ManualClock {
  let now = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    after(ms, action) {
      const timer = { at: now + ms, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.action();
      }
      now = end;
    },
    get pending() {
      return timers.length;
    },
  };
}
