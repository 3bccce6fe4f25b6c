// An MCP server with the customers. Asked for one that it does not have, it answers with `isError`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const customers = new Map([
  ["c1", { name: "Ada Lovelace", country: "UK" }],
  ["c2", { name: "Grace Hopper", country: "US" }],
  ["c3", { name: "Emmy Noether", country: "DE" }],
]);

serveStdio(() => {
  const server = new McpServer({ name: "customers", version: "1.0.0" });
  server.registerTool(
    "get_customer",
    {
      description: "Gets one customer by id.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ name: z.string(), country: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ id }) => {
      const customer = customers.get(id);
      if (customer === undefined)
        return { content: [{ type: "text", text: `no customer ${id}` }], isError: true };
      return { content: [], structuredContent: customer };
    },
  );
  return server;
});
