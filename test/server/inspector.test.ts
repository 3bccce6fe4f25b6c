// The official Inspector as a client of `callgate serve`, on both transports: its command line, as a person or a CI job runs it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveFixture, type Served } from "../../scripts/conformance/served.ts";
import { verifies } from "../requirements.ts";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const inspector = path("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const fixture = path("test/fixtures/servers/asking.mjs");
const folder = mkdtempSync(join(tmpdir(), "callgate-inspector-"));
const catalog = join(folder, "inspector.json");
let http: Served;

beforeAll(async () => {
  http = await serveFixture();
  writeFileSync(
    join(folder, "callgate.json"),
    JSON.stringify({
      mcpServers: { desk: { command: process.execPath, args: [fixture] } },
      policy: { default: "allow" },
    }),
  );
  const stdio = {
    command: process.execPath,
    args: [path("cli/main.ts"), "serve", "--trust-config"],
    cwd: folder,
  };
  writeFileSync(catalog, JSON.stringify({ mcpServers: { stdio, http: { type: "http", url: http.url } } }));
}, 120_000);
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** What the Inspector prints, as the JSON it is; with its exit code. */
async function inspect(
  server: string,
  args: readonly string[],
): Promise<{ code: number | null; said: unknown }> {
  const child = spawn(
    process.execPath,
    [inspector, "--cli", "--config", catalog, "--server", server, ...args],
    {
      // A home of its own, and no key ring.
      env: { PATH: process.env["PATH"], HOME: folder, MCP_INSPECTOR_SECRET_STORE: "memory" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (out === "")
    throw new Error(`the Inspector said nothing and ended with ${code}: ${errors.slice(0, 2_000)}`);
  return { code, said: JSON.parse(out) as unknown };
}

describe.each(["stdio", "http"])("over %s", (transport) => {
  test(verifies("server:inspector", "it lists the tools"), { timeout: 120_000 }, async () => {
    const { code, said } = await inspect(transport, ["--method", "tools/list"]);
    expect(code).toBe(0);
    const { tools } = said as { readonly tools: readonly { readonly name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["search_tools", "get_tool_details", "run_script"]);
  });

  test(verifies("server:inspector", "it runs a script that calls a tool"), { timeout: 120_000 }, async () => {
    const call =
      transport === "stdio" ? "await desk.release({})" : 'await everything.echo({ message: "hi" })';
    const script = `script=${call}; return 6 * 7;`;
    const args = ["--method", "tools/call", "--tool-name", "run_script", "--tool-arg", script];
    const { code, said } = await inspect(transport, args);
    expect(code).toBe(0);
    expect(said).toMatchObject({
      isError: false,
      content: [{ type: "text", text: "42" }],
      structuredContent: { status: "completed", calls: [{ status: "ok" }] },
    });
  });

  test(verifies("server:inspector", "it is told of a script that fails"), { timeout: 120_000 }, async () => {
    const args = ["--method", "tools/call", "--tool-name", "run_script", "--tool-arg", "script=nonsense(;"];
    const { said } = await inspect(transport, args);
    expect(said).toMatchObject({ isError: true, structuredContent: { error: { code: "SCRIPT_SYNTAX" } } });
  });
});
