// An MCP server to measure against. Usage: node server.mjs stdio <tools> [log] | node server.mjs http
// stdio: that many tools, "start" appended to the log; "announce" says that the list changed, and it does. http: prints its port.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [, , kind, count = "1", log] = process.argv;
let version = 0;

function tools() {
  return Array.from({ length: Number(count) }, (_, at) => ({
    name: at === 0 ? "echo" : at === 1 ? "announce" : `do_thing_${at}`,
    description: `Does thing ${at}, version ${version}. It takes an id and options that say how, and answers with what it found.`,
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "Which one." },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        state: { enum: ["open", "closed", "all"] },
        filter: {
          type: "object",
          properties: { author: { type: "string" }, since: { type: "string", format: "date-time" } },
        },
      },
    },
    outputSchema: {
      type: "object",
      properties: { id: { type: "string" }, found: { type: "array", items: { type: "string" } } },
    },
  }));
}

function serveStdio() {
  if (log !== undefined) appendFileSync(log, "start\n");
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "bench", version: "1" },
    }),
    "tools/list": () => ({ tools: tools() }),
    "tools/call": ({ name, arguments: args }) => {
      if (name === "announce") {
        version += 1;
        send({ method: "notifications/tools/list_changed" });
      }
      return { content: [], structuredContent: { id: args.id ?? "", found: [] } };
    },
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = answers[method]?.(params ?? {});
    send(
      result === undefined ? { id, error: { code: -32601, message: "Method not found" } } : { id, result },
    );
  });
}

async function serveHttp() {
  const { createMcpHandler, fromJsonSchema, McpServer } = await import("@modelcontextprotocol/server");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.registerTool("echo", { inputSchema: fromJsonSchema({ type: "object" }) }, async (args) => ({
        content: [{ type: "text", text: JSON.stringify(args) }],
      }));
      return server;
    }),
  );
  const http = createServer((request, response) => void handler(request, response));
  http.listen(0, "127.0.0.1", () => process.stdout.write(`${http.address().port}\n`));
}

if (kind === "http") await serveHttp();
else serveStdio();
