// A session over `callgate serve`, as an MCP host has it: discover, a script with a mistake, repair, a question, success.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

// The command of the package; a host would say `npx -y callgate serve`.
const command = fileURLToPath(new URL("cli/main.js", import.meta.resolve("callgate")));
const folder = mkdtempSync(join(tmpdir(), "callgate-session-"));

const indented = (text: string): string => text.replaceAll(/\n(?=.)/g, "\n  ");

const client = new Client(
  { name: "example-host", version: "1.0.0" },
  { capabilities: { elicitation: { form: {} } } },
);
client.setRequestHandler("elicitation/create", (request) => {
  console.log(`\n? ${indented(request.params.message)}\n> allow once`);
  return { action: "accept", content: { answer: "allow once" } };
});

/** What the model would do, and what it would read. */
async function call(name: string, input: Record<string, unknown>): Promise<void> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  console.log(`\n${name}${isError === true ? " (error)" : ""}:\n  ${indented(text)}`);
}

try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [command, "serve", "--trust-config", "--config", join(import.meta.dirname, "callgate.json")],
      env: { PATH: process.env["PATH"] ?? "", SESSION_MEMORY: join(folder, "memory.jsonl") },
    }),
  );
  const { tools } = await client.listTools();
  console.log(tools.map((tool) => tool.name).join(", "));

  await call("search_tools", { query: "knowledge graph entities", limit: 2 });
  await call("run_script", {
    script: `const people = [{ name: "Ada", type: "person", observations: ["likes tea"] }];
await memory.create_entities({ entities: people });`,
  });
  await call("run_script", {
    script: `const people = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
await memory.create_entities({ entities: people });
const { entities } = await memory.search_nodes({ query: "tea" });
return entities.map(({ name }) => name);`,
  });
} finally {
  await client.close();
  rmSync(folder, { recursive: true });
}
