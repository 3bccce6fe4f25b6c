// The trace context on its way to servers of both eras.
import { context, createTraceState, trace, TraceFlags } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { createCallgate } from "../../index.ts";
import { verifies } from "../requirements.ts";

const server = (name: string): { command: string; args: string[] } => {
  return {
    command: process.execPath,
    args: [new URL(`../fixtures/servers/${name}.mjs`, import.meta.url).pathname],
  };
};
const ERAS = [["raw"], ["modern"]] as const;
const exporter = new InMemorySpanExporter();

afterEach(() => {
  trace.disable();
  context.disable();
});

function registerSdk(): void {
  const storage = new AsyncLocalStorage<Context>();
  const root = context.active();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? root,
    with: (inside, work, self, ...args) => storage.run(inside, () => work.apply(self, args)),
    bind: (_context, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
}

/** What the server says it was sent. */
async function sent(name: string): Promise<{ _meta: Record<string, unknown>; arguments: unknown }> {
  await using gate = await createCallgate({ servers: { s: server(name) }, policy: { default: "allow" } });
  const script = "return await s.meta({ _meta: { traceparent: 'evil' }, traceparent: 'evil' })";
  const { output, error } = await gate.run(script, { check: "off" });
  expect(error).toBeUndefined();
  return JSON.parse(output) as { _meta: Record<string, unknown>; arguments: unknown };
}

test.each(ERAS)(
  verifies("telemetry:propagation", "%s: without an SDK no trace context is sent"),
  async (name) => {
    const { _meta: meta } = await sent(name);
    expect(JSON.stringify(meta)).not.toMatch(/trace|baggage|evil/);
  },
);

test.each(ERAS)(
  verifies(
    "telemetry:propagation",
    "%s: the span of the call is the parent that the server is told, whatever the script writes",
  ),
  async (name) => {
    registerSdk();
    exporter.reset();
    const state = createTraceState("vendor=1");
    const above = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: TraceFlags.SAMPLED };
    const parent = trace.setSpanContext(context.active(), { ...above, traceState: state, isRemote: true });
    const { _meta: meta, arguments: given } = await context.with(parent, () => sent(name));
    const call = exporter.getFinishedSpans().find((span) => span.name === "tools/call meta");
    expect(meta["traceparent"]).toBe(`00-${above.traceId}-${call?.spanContext().spanId}-01`);
    expect(meta["tracestate"]).toBe("vendor=1");
    expect(meta).not.toHaveProperty("baggage");
    expect(given).toMatchObject({ traceparent: "evil" });
    expect(call?.attributes["jsonrpc.request.id"]).toMatch(/^\d+$/);
  },
);
