// Runs the command line as a user does: a process of its own, in a folder of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const commandFile: string = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
export const fixtureServer: string = fileURLToPath(new URL("../fixtures/cli/server.mjs", import.meta.url));

const SAID_MS = 40_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once stderr or stdout has the text; rejects when it ends without it, or after 40 s. */
  said(text: string): Promise<void>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node, before the command. */
  readonly node?: readonly string[];
}

/** A folder that is removed after the test. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "callgate-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

export function start(args: readonly string[], options: RunOptions = {}): Started {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const child = spawn(process.execPath, [...(options.node ?? []), commandFile, ...args], {
    cwd: options.cwd ?? folder(),
    // Of its own, so that no test knows tools from another.
    env: { ...inherited, XDG_CACHE_HOME: folder(), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((check) => check());
  child.stdout.setEncoding("utf8").on("data", (text: string) => ((stdout += text), wake()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => ((stderr += text), wake()));
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (how: string): void =>
        reject(new Error(`${how} without saying ${text}: ${stdout}${stderr}`));
      const late = setTimeout(fail, SAID_MS, "it went on for 40 s");
      const check = (): void => {
        if (!stdout.includes(text) && !stderr.includes(text)) return;
        clearTimeout(late);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      void ended.then(() => {
        clearTimeout(late);
        fail("it ended");
      });
    });
  return { child, ended, said };
}

export function callgate(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** A folder with a configuration of the fixture server, named `items`, and its log. */
export function workspace(
  config: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string | Buffer>> = {},
): { readonly path: string; readonly log: () => readonly string[] } {
  const path = folder(files);
  const logFile = join(path, "server.log");
  const items = { command: process.execPath, args: [fixtureServer], env: { FIXTURE_LOG: logFile } };
  const { mcpServers = {}, ...rest } = config;
  const whole = { mcpServers: { items, ...(mcpServers as object) }, ...rest };
  writeFileSync(join(path, "callgate.json"), JSON.stringify(whole, null, 2));
  const log = (): readonly string[] =>
    existsSync(logFile) ? readFileSync(logFile, "utf8").split("\n").filter(Boolean) : [];
  return { path, log };
}

/** Process ids the fixture server has noted. */
export function pidsIn(log: readonly string[]): readonly number[] {
  return log.filter((line) => line.startsWith("pid ")).map((line) => Number(line.slice(4)));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const ALLOW_ALL: Readonly<Record<string, unknown>> = { policy: { default: "allow" } };
