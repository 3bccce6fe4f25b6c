// Owns the tool lists of the npm servers among the development dependencies, asked for over stdio.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ToolDefinition } from "../../contract/tool.ts";

/** Tools of four servers, under the names `live-…`. */
export async function liveTools(): Promise<readonly ToolDefinition[]> {
  const folder = mkdtempSync(join(tmpdir(), "callgate-live-"));
  const list = (name: string): Promise<readonly ToolDefinition[]> =>
    toolsOf(name, name === "filesystem" ? [folder] : [], join(folder, "memory.json"));
  try {
    return (
      await Promise.all(["everything", "memory", "filesystem", "sequential-thinking"].map(list))
    ).flat();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function toolsOf(
  name: string,
  more: readonly string[],
  memory: string,
): Promise<readonly ToolDefinition[]> {
  const main = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  const client = new Client({ name: "test", version: "0.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, ...more],
    env: { MEMORY_FILE_PATH: memory },
    stderr: "ignore",
  });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    return tools.map((tool) => ({ ...tool, server: `live-${name}` }) as unknown as ToolDefinition);
  } finally {
    await client.close();
  }
}
