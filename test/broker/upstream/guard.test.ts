// The seam between the SDK and the wire: what the SDK gets to see, and what is kept from it.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../contract/json.ts";
import { guardTransport, type Guard, type Ticket } from "../../../broker/upstream/guard.ts";
import { verifies } from "../../requirements.ts";

interface Bench {
  readonly guard: Guard;
  /** What the SDK received. */
  readonly seen: JSONRPCMessage[];
  /** What went out, with its options. */
  readonly out: { readonly message: JSONRPCMessage; readonly options: Record<string, unknown> }[];
  request(method: string, id: number | string, args?: object): Promise<void>;
  arrive(message: JsonValue): void;
}

function bench(
  options: { readonly stdio?: boolean; readonly perRequest?: boolean; readonly modern?: boolean } = {},
): Bench {
  const out: Bench["out"][number][] = [];
  const inner: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message, sendOptions) {
      out.push({ message, options: (sendOptions ?? {}) as Record<string, unknown> });
    },
    ...(options.perRequest === true ? { hasPerRequestStream: true } : {}),
  };
  const guard = guardTransport(inner, { stdio: options.stdio ?? false, elicits: false });
  guard.modern = options.modern ?? false;
  const seen: JSONRPCMessage[] = [];
  guard.transport.onmessage = (message) => void seen.push(message);
  return {
    guard,
    seen,
    out,
    request: (method, id, args) =>
      guard.transport.send({
        jsonrpc: "2.0",
        id,
        method,
        params: args === undefined ? {} : { name: "t", arguments: args },
      }),
    arrive: (message) => inner.onmessage?.(message as unknown as JSONRPCMessage),
  };
}

const call = async (on: Bench, id: number): Promise<Ticket> => {
  const args = {};
  const ticket = on.guard.open(args, { onProgress: () => {}, onRequest: undefined });
  await on.request("tools/call", id, args);
  return ticket;
};

test(
  verifies("upstream:result-kept", "the result of a call is kept raw, the SDK sees an empty one"),
  async () => {
    const on = bench();
    const ticket = await call(on, 1);
    const result = { content: [{ type: "odd" }], structuredContent: { a: 1 }, isError: "yes" };
    on.arrive({ jsonrpc: "2.0", id: 1, result });
    expect(ticket).toMatchObject({ sent: true, result: { raw: result } });
    expect(on.seen).toEqual([{ jsonrpc: "2.0", id: 1, result: { content: [] } }]);
  },
);

test(
  verifies("upstream:result-kept", "a newer server's result is complete when it does not say otherwise"),
  async () => {
    const on = bench({ modern: true });
    await call(on, 1);
    on.arrive({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    await call(on, 2);
    const state = { resultType: "input_required", requestState: "opaque" };
    on.arrive({ jsonrpc: "2.0", id: 2, result: state });
    await call(on, 3);
    on.arrive({ jsonrpc: "2.0", id: 3, result: { resultType: "input_required", inputRequests: { a: {} } } });
    expect(on.seen).toEqual([
      { jsonrpc: "2.0", id: 1, result: { resultType: "complete", content: [] } },
      { jsonrpc: "2.0", id: 2, result: state },
      {
        jsonrpc: "2.0",
        id: 3,
        error: expect.objectContaining({ message: expect.stringMatching(/asks a person/) }),
      },
    ]);
  },
);

test(
  verifies("upstream:sent", "a call counts as sent from the moment it is handed over, not before"),
  async () => {
    const on = bench();
    const args = {};
    const ticket = on.guard.open(args, { onProgress: () => {}, onRequest: undefined });
    expect(ticket.sent).toBe(false);
    const sending = on.request("tools/call", 7, args);
    expect(ticket).toMatchObject({ sent: true, id: "7" });
    await sending;
  },
);

test(verifies("upstream:result-kept", "two calls with equal arguments are told apart"), async () => {
  const on = bench();
  const [a, b] = [await call(on, 1), await call(on, 2)];
  on.arrive({ jsonrpc: "2.0", id: 2, result: { content: "second" } });
  on.arrive({ jsonrpc: "2.0", id: 1, result: { content: "first" } });
  expect([a?.result?.raw, b?.result?.raw]).toEqual([{ content: "first" }, { content: "second" }]);
});

test(
  verifies("upstream:timeout", "an answer nobody waits for, or waits for no longer, is dropped"),
  async () => {
    const on = bench();
    const ticket = await call(on, 1);
    on.guard.close(ticket);
    on.arrive({ jsonrpc: "2.0", id: 1, result: {} });
    on.arrive({ jsonrpc: "2.0", id: 99, result: {} });
    on.arrive({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "parse error" } });
    await call(on, 2);
    on.arrive({ jsonrpc: "2.0", id: 2, result: {} });
    on.arrive({ jsonrpc: "2.0", id: 2, result: {} });
    expect(on.seen).toHaveLength(1);
  },
);

test(verifies("upstream:result-kept", "an id that comes back as text is the same id"), async () => {
  const on = bench();
  await call(on, 5);
  on.arrive({ jsonrpc: "2.0", id: "5", result: { content: [] } });
  expect(on.seen).toHaveLength(1);
});

test(verifies("upstream:progress", "progress goes to its call at once, and only while it runs"), async () => {
  const on = bench();
  const steps: unknown[] = [];
  const args = {};
  const ticket = on.guard.open(args, { onProgress: (step) => steps.push(step), onRequest: undefined });
  await on.request("tools/call", 3, args);
  const progress = (params: JsonValue): void =>
    on.arrive({ jsonrpc: "2.0", method: "notifications/progress", params });
  progress({ progressToken: 3, progress: 1, total: 2, message: "half" });
  progress({ progressToken: "3", progress: 2, total: "two", message: 5 });
  progress({ progressToken: 4, progress: 1 });
  progress({ progressToken: 3, progress: "far" });
  progress(null);
  progress({});
  on.guard.close(ticket);
  progress({ progressToken: 3, progress: 3 });
  expect(steps).toEqual([{ progress: 1, total: 2, message: "half" }, { progress: 2 }]);
  expect(on.seen).toEqual([]);
});

test(
  verifies("upstream:http-broken", "a response stream that ends without an answer is an answer of its own"),
  async () => {
    const on = bench({ perRequest: true });
    const ticket = await call(on, 1);
    const end = (at: number): void =>
      (on.out[at]?.options["onRequestStreamEnd"] as (() => void) | undefined)?.();
    end(0);
    expect(ticket.lost).toBe(true);
    expect(on.seen).toEqual([
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32_000 }) }),
    ]);
    const answered = await call(on, 2);
    on.arrive({ jsonrpc: "2.0", id: 2, result: {} });
    end(1);
    expect(answered.lost).toBe(false);
    expect(on.seen).toHaveLength(2);
  },
);

test(verifies("upstream:list-faulty", "the pages of a list are kept raw, the SDK sees names"), async () => {
  const on = bench();
  await on.request("tools/list", 1);
  const tools = [{ name: "a", inputSchema: { type: "object" }, outputSchema: 5, annotations: "x" }, 7];
  on.arrive({ jsonrpc: "2.0", id: 1, result: { tools, nextCursor: "" } });
  expect(on.guard.walk.raw).toEqual(tools);
  const shown = [{ name: "a", inputSchema: { type: "object" } }];
  expect(on.seen).toEqual([{ jsonrpc: "2.0", id: 1, result: { tools: shown, nextCursor: "" } }]);
});

test.each<[string, JsonValue, JsonObject]>([
  ["nothing but a version", { protocolVersion: "2025-06-18" }, { tools: {} }],
  ["no capabilities", { protocolVersion: "2025-06-18", capabilities: null }, { tools: {} }],
  ["other capabilities only", { protocolVersion: "2025-06-18", capabilities: { logging: "x" } }, {}],
  [
    "faulty capabilities",
    { protocolVersion: "2025-06-18", capabilities: { prompts: "x", resources: { subscribe: 7 } } },
    { resources: {}, prompts: {} },
  ],
  ["tools as true", { protocolVersion: "2025-06-18", capabilities: { tools: true } }, { tools: {} }],
  [
    "changes",
    { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true, x: [] } } },
    { tools: { listChanged: true } },
  ],
])(
  verifies("upstream:eras", "a first answer that is not quite right is completed: %s"),
  async (_n, result, capabilities) => {
    const on = bench();
    await on.request("initialize", 1);
    on.arrive({ jsonrpc: "2.0", id: 1, result });
    const serverInfo = { name: "unknown", version: "unknown" };
    expect(on.seen).toEqual([
      { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18", capabilities, serverInfo } },
    ]);
  },
);

test(verifies("upstream:eras", "requests and other notifications of a server pass through untouched"), () => {
  const on = bench();
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  ];
  for (const message of messages) on.arrive(message);
  expect(on.seen).toEqual(messages);
});

test(verifies("upstream:era-probe", "only a stdio transport looks like one to the SDK"), () => {
  expect("pid" in bench({ stdio: true }).guard.transport).toBe(true);
  expect("pid" in bench().guard.transport).toBe(false);
  expect(bench({ perRequest: true }).guard.transport.hasPerRequestStream).toBe(true);
  expect("hasPerRequestStream" in bench().guard.transport).toBe(false);
});

test(
  verifies("upstream:result-kept", "whatever arrives for a call, the SDK gets one well-formed answer"),
  async () => {
    const part = fc.jsonValue();
    const message = fc.record({ result: part, error: part, extra: part }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(message, fc.boolean(), async (raw, modern) => {
        const on = bench({ modern });
        const ticket = await call(on, 1);
        on.arrive({ jsonrpc: "2.0", id: 1, ...(raw as JsonObject) });
        expect(on.seen).toHaveLength(1);
        const seen = on.seen[0] as { result?: unknown; error?: { code: unknown; message: unknown } };
        expect(Object.keys(seen).toSorted()).toEqual(
          ["id", "jsonrpc", "error" in seen ? "error" : "result"].toSorted(),
        );
        if (seen.error === undefined) expect(seen.result).toBeTypeOf("object");
        else expect([typeof seen.error.code, typeof seen.error.message]).toEqual(["number", "string"]);
        expect(ticket.result === undefined).toBe(
          "error" in seen || typeof (raw["result"] as JsonObject)?.["resultType"] === "string",
        );
      }),
    );
  },
);
