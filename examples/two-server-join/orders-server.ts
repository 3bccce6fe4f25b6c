// An MCP server with the open orders. It knows customers by id only.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const order = z.object({ id: z.string(), customerId: z.string(), total: z.number() });
const orders: readonly z.infer<typeof order>[] = [
  { id: "A-100", customerId: "c1", total: 120 },
  { id: "A-101", customerId: "c2", total: 75.5 },
  { id: "A-102", customerId: "c9", total: 19.9 },
  { id: "A-103", customerId: "c1", total: 30 },
  { id: "A-104", customerId: "c3", total: 240 },
  { id: "A-105", customerId: "c2", total: 12.25 },
];

serveStdio(() => {
  const server = new McpServer({ name: "orders", version: "1.0.0" });
  server.registerTool(
    "list_open_orders",
    {
      description: "Lists the orders that are not paid yet.",
      inputSchema: z.object({}),
      outputSchema: z.object({ orders: z.array(order) }),
      annotations: { readOnlyHint: true },
    },
    () => ({ content: [], structuredContent: { orders } }),
  );
  return server;
});
