// Servers whose tools are what a file says, and what they were asked, for tests of the memory of tool lists.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createCallgate, type CallgateOptions, type Gate } from "../../index.ts";

const fixture = fileURLToPath(new URL("../fixtures/servers/stated.mjs", import.meta.url));

export interface State {
  readonly era?: "legacy" | "modern";
  readonly ttlMs?: number;
  readonly tools?: readonly object[];
  /** It has one. */
  readonly resources?: boolean;
  readonly broken?: boolean;
}

export interface Stated {
  readonly config: { readonly command: string; readonly args: readonly string[] };
  become(state: State): void;
  /** Everything it was asked since the last look, a line each; "start" for each process. */
  asked(): string[];
}

export function tool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** A folder that is removed after the test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "callgate-catalog-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function stated(state: State = {}): Stated {
  const folder = scratch();
  const [file, log] = [join(folder, "state.json"), join(folder, "log")];
  const become = (next: State): void =>
    writeFileSync(file, JSON.stringify({ tools: [tool("echo")], ...next }));
  become(state);
  let seen = 0;
  return {
    config: { command: process.execPath, args: [fixture, file, log] },
    become,
    asked() {
      const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
      const fresh = lines.slice(seen);
      seen = lines.length;
      return fresh;
    },
  };
}

/** A gate over such servers that keeps lists in `folder`. */
export function openCached(
  folder: string,
  servers: Readonly<Record<string, Stated>>,
  options: CallgateOptions = {},
): Promise<Gate> {
  return createCallgate({
    servers: Object.fromEntries(Object.entries(servers).map(([name, { config }]) => [name, config])),
    catalogCache: { folder },
    policy: { default: "allow" },
    ...options,
  });
}

/** Lists the tools once, as an earlier process would have. */
export async function warm(
  folder: string,
  servers: Readonly<Record<string, Stated>>,
  options: CallgateOptions = {},
): Promise<void> {
  const gate = await openCached(folder, servers, options);
  await gate[Symbol.asyncDispose]();
  for (const server of Object.values(servers)) server.asked();
}

export function calls(gate: Gate): string[] {
  return gate.catalog.list().map(({ call }) => call);
}

/** Resolves once a tool of the server is being called. */
export async function called(server: Stated): Promise<void> {
  while (!server.asked().includes("tools/call")) await new Promise((resolve) => setTimeout(resolve, 10));
}
