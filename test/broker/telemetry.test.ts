// Spans of runs and calls, taken by the official SDK.
import {
  context,
  metrics,
  trace,
  SpanKind,
  SpanStatusCode,
  type Context,
  type ContextManager,
} from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallgate, defineTool, type CallgateOptions, type Gate } from "../../index.ts";
import { peerOf } from "../../broker/telemetry.ts";
import { openContent } from "../content/support.ts";
import { verifies } from "../requirements.ts";

const SECRET = "canary-51c0ffee-token";
const fixture = new URL("../fixtures/servers/raw.mjs", import.meta.url).pathname;
const anything = { type: "object" } as const;
const exporter = new InMemorySpanExporter();
const durations: { readonly name: string; readonly seconds: number; readonly attributes: unknown }[] = [];
let activeInTool: string | undefined;

/** What the SDK for Node registers, in short. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT,
    with: (inside, work, self, ...args) => storage.run(inside, () => work.apply(self, args)),
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
const ROOT = context.active();

const tools: CallgateOptions["tools"] = {
  own: {
    echo: defineTool({
      description: "Echo.",
      input: anything,
      run: (input: unknown) => {
        activeInTool = trace.getSpan(context.active())?.spanContext().spanId;
        return input;
      },
    }),
    fail: defineTool({
      description: "Fails.",
      input: anything,
      run: () => {
        throw new Error(`no luck with ${SECRET}`);
      },
    }),
  },
};

let gate: Gate;
beforeAll(async () => {
  // Made before the SDK is there, as hosts do.
  gate = await createCallgate({
    tools,
    servers: { raw: { command: process.execPath, args: [fixture, "{}"], env: { API_TOKEN: SECRET } } },
    policy: { default: "allow", rules: [{ id: "ask-fail", tools: "own.fail", effect: "ask" }] },
    approve: () => Promise.resolve({ decision: "allow" }),
  });
  context.setGlobalContextManager(contextManager());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  const meter = metrics.getMeter("callgate");
  const histogram = (name: string) => ({
    record: (seconds: number, attributes: unknown) => durations.push({ name, seconds, attributes }),
  });
  metrics.setGlobalMeterProvider({
    getMeter: () => Object.assign(Object.create(meter) as typeof meter, { createHistogram: histogram }),
  });
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  trace.disable();
  context.disable();
  metrics.disable();
});

async function spansOf(script: string, from: Gate = gate): Promise<readonly ReadableSpan[]> {
  exporter.reset();
  durations.length = 0;
  await from.run(script, { check: "off", labels: ["mail"] });
  return exporter.getFinishedSpans();
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  expect(found, spans.map((span) => span.name).join()).toBeDefined();
  return found as ReadableSpan;
}

test(verifies("telemetry:spans", "a run is a span with its check and calls below it"), async () => {
  const spans = await spansOf("await own.echo({ a: 1 })");
  const run = named(spans, "callgate.run");
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "callgate.check",
    "callgate.run",
    "tools/call echo",
  ]);
  for (const span of spans) {
    if (span === run) continue;
    expect(span.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
    expect(span.spanContext().traceId).toBe(run.spanContext().traceId);
  }
  expect(run.attributes).toMatchObject({
    "callgate.run.id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    "callgate.policy.hash": expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    "callgate.labels": ["mail"],
    "callgate.run.status": "completed",
    "callgate.run.calls": 1,
  });
});

test(verifies("telemetry:spans", "a run hangs below the span of its host"), async () => {
  const outer = trace.getTracer("host").startSpan("turn");
  const spans = await context.with(trace.setSpan(context.active(), outer), () => spansOf("return 1"));
  expect(named(spans, "callgate.run").parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  outer.end();
});

test(
  verifies("telemetry:spans", "a call has the conventional attributes, and is active while the tool runs"),
  async () => {
    const call = named(await spansOf("await own.echo({ a: 1 })"), "tools/call echo");
    expect(call.kind).toBe(SpanKind.CLIENT);
    expect(call.attributes).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "callgate.server": "own",
      "callgate.call.seq": 1,
      "callgate.policy.effect": "allow",
      "callgate.labels": ["mail"],
    });
    expect(call.attributes["callgate.policy.rule"]).not.toHaveLength(0);
    expect(activeInTool).toBe(call.spanContext().spanId);
    expect(durations).toMatchObject([
      { name: "mcp.client.operation.duration", attributes: { "gen_ai.tool.name": "echo" } },
    ]);
  },
);

test(verifies("telemetry:spans", "a call to an MCP server says how the server is reached"), async () => {
  const call = named(await spansOf("await raw.echo({})"), "tools/call echo");
  expect(call.attributes["network.transport"]).toBe("pipe");
  expect(call.attributes["mcp.protocol.version"]).toMatch(/^\d{4}-\d\d-\d\d/);
});

test.each([
  [{}, { transport: "pipe" }],
  [{ url: "https://example.com/mcp?key=secret" }, { transport: "tcp", address: "example.com", port: 443 }],
  [{ url: "http://127.0.0.1:3000/mcp" }, { transport: "tcp", address: "127.0.0.1", port: 3000 }],
  [{ url: "not a url" }, { transport: "tcp" }],
])(
  verifies("telemetry:private", "of the way to a server, %j, only host and port are told"),
  (config, peer) => {
    expect(peerOf(config)).toEqual(peer);
  },
);

test(
  verifies(
    ["telemetry:spans", "telemetry:errors"],
    "an approval is a span of its call; a failing tool is an error",
  ),
  async () => {
    const spans = await spansOf("await own.fail({})");
    const call = named(spans, "tools/call fail");
    const approval = named(spans, "callgate.approval");
    expect(approval.parentSpanContext?.spanId).toBe(call.spanContext().spanId);
    expect(approval.attributes["callgate.approval.answer"]).toBe("granted");
    expect(call.attributes).toMatchObject({ "error.type": "tool_error", "callgate.policy.effect": "ask" });
    expect(call.attributes["callgate.approval.wait_ms"]).toBeTypeOf("number");
    expect(call.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(named(spans, "callgate.run").attributes["error.type"]).toBe("CALL_TOOL_ERROR");
    expect(
      JSON.stringify(spans.map(({ attributes, events, status }) => [attributes, events, status])),
    ).not.toContain("canary");
  },
);

test(
  verifies("telemetry:errors", "a call that is refused says so by its code, and has no duration"),
  async () => {
    const spans = await spansOf("await own.echo(5)");
    expect(named(spans, "tools/call echo").attributes["error.type"]).toBe("CALL_INVALID_ARGUMENTS");
    expect(durations).toEqual([]);
  },
);

test(verifies("telemetry:private", "without bodies no argument and no result is in a span"), async () => {
  const spans = await spansOf("await own.echo({ word: 'plainword' })");
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("plainword");
});

test(verifies("telemetry:private", "with bodies they are, redacted"), async () => {
  await using open = await createCallgate({
    tools,
    servers: { raw: { command: process.execPath, args: [fixture, "{}"], env: { API_TOKEN: SECRET } } },
    policy: { default: "allow" },
    telemetry: { bodies: true },
  });
  const script =
    "const { API_TOKEN: token } = await raw.env({}); await raw.echo({ token, word: 'plainword' })";
  const spans = await spansOf(script, open);
  const call = named(spans, "tools/call echo");
  expect(call.attributes["gen_ai.tool.call.arguments"]).toContain("plainword");
  expect(call.attributes["gen_ai.tool.call.result"]).toContain("plainword");
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("canary");
});

test.each([["x"], [{ body: true }], [{ bodies: "yes" }], [null]])(
  verifies("telemetry:private", "the option %j is refused"),
  async (telemetry) => {
    const made = createCallgate({ telemetry: telemetry as never });
    await expect(made).rejects.toMatchObject({ code: "CONFIG_INVALID", data: { path: "telemetry" } });
  },
);

test(
  verifies("telemetry:spans", "a resource that is read has a span by the name of its method"),
  async () => {
    const answers = { resources: { "resources/read": { result: { contents: [] } } } };
    await using open = await openContent({}, answers);
    const spans = await spansOf("await s.resources.read('a:b')", open);
    const { attributes } = named(spans, "resources/read");
    expect(attributes["mcp.method.name"]).toBe("resources/read");
    expect(Object.keys(attributes).filter((key) => key.startsWith("gen_ai."))).toEqual([]);
  },
);
