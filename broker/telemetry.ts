// Owns the spans and the metric of runs and calls, by the OpenTelemetry conventions for MCP and generative AI.
import {
  context,
  isSpanContextValid,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type Span,
} from "@opentelemetry/api";
import type { CallOutcome, CallRequest } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { mcpMethod } from "../contract/methods.ts";
import { CallgateError } from "../contract/error.ts";
import { plain } from "./plain-text.ts";
import type { Redactor } from "./redact.ts";

/** What is known of the way to a server. */
export interface Peer {
  readonly transport: "pipe" | "tcp";
  readonly address?: string;
  readonly port?: number;
}

export interface Telemetry {
  /** Opens the span of a run below the span that is active now. */
  openRun(run: {
    readonly runId: string;
    readonly principal: string;
    readonly policy: string;
    readonly labels: readonly string[];
  }): RunSpan;
}

export interface RunSpan {
  /** The type check of the script. */
  check<T>(work: () => Promise<T>): Promise<T>;
  openCall(request: CallRequest, facts: { readonly protocolVersion: string | undefined }): CallSpan;
  end(facts: { readonly status: string; readonly code: string | undefined; readonly calls: number }): void;
}

export interface CallSpan {
  decided(decision: Decision, labels: readonly string[]): void;
  approval<T extends { readonly type: string }>(ask: () => Promise<T>): Promise<T>;
  /** The call to the tool, with the span active, so that instrumented clients hang theirs below it. */
  send<T>(work: (trace: TraceOnWire) => Promise<T>): Promise<T>;
  end(outcome: CallOutcome): void;
}

export interface TraceOnWire {
  /** `traceparent` and `tracestate` for the `_meta` of a request (W3C Trace Context); absent when nothing is traced. */
  readonly meta: Readonly<Record<string, string>> | undefined;
  /** Told of each request as it goes out. */
  readonly onRequest: (request: RequestOnWire) => void;
}

export interface RequestOnWire {
  /** JSON-RPC id. */
  readonly id: string;
  /** Of a server of revisions before 2026-07-28. */
  readonly sessionId: string | undefined;
}

const NAME = "callgate";
const MAX_BODY = 8_000;
const SECONDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** A host that registers no SDK pays next to nothing. `bodies`: redacted arguments and results, up to 8,000 characters. */
export function createTelemetry(options: {
  readonly bodies: boolean;
  readonly record: (principal: string) => Redactor;
  readonly peers: ReadonlyMap<string, Peer>;
  /** Monotonic, ms. */
  readonly clock: () => number;
}): Telemetry {
  const { clock } = options;
  // Asked for late: a host may register its SDK after the gate was made.
  let duration: Histogram | undefined;

  function record(seconds: number, attributes: Attributes): void {
    duration ??= metrics.getMeter(NAME).createHistogram("mcp.client.operation.duration", {
      description: "Duration of an MCP request, from when it is sent to when its answer is there.",
      unit: "s",
      advice: { explicitBucketBoundaries: [...SECONDS] },
    });
    duration.record(seconds, attributes);
  }

  function openCall(
    parent: Context,
    request: CallRequest,
    version: string | undefined,
    redactor: Redactor,
  ): CallSpan {
    const body = (name: string, text: string): void => {
      if (options.bodies && span.isRecording())
        span.setAttribute(name, redactor.redact(text).slice(0, MAX_BODY));
    };
    const { server, tool, seq, runId } = request;
    const peer = options.peers.get(server);
    const method = mcpMethod(tool)?.name;
    const common: Attributes = {
      "mcp.method.name": method ?? "tools/call",
      ...(method === undefined && {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": plain(tool, 200),
      }),
      ...(version !== undefined && { "mcp.protocol.version": version }),
      ...(peer !== undefined && { "network.transport": peer.transport }),
      ...(peer?.address !== undefined && { "server.address": peer.address }),
      ...(peer?.port !== undefined && { "server.port": peer.port }),
    };
    const span = trace.getTracer(NAME).startSpan(
      method ?? `tools/call ${plain(tool, 100)}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          ...common,
          "callgate.run.id": runId,
          "callgate.call.seq": seq,
          "callgate.server": plain(server, 200),
        },
      },
      parent,
    );
    const inside = trace.setSpan(parent, span);
    body("gen_ai.tool.call.arguments", request.argumentsJson);
    let sentAt: number | undefined;
    let waitedMs = 0;
    return {
      decided({ effect, rules }, labels) {
        span.setAttributes({
          "callgate.policy.effect": effect,
          "callgate.policy.rule": rules.map((rule) => plain(rule, 200)),
          "callgate.labels": [...labels],
        });
      },
      async approval(ask) {
        const since = clock();
        const asking = trace.getTracer(NAME).startSpan("callgate.approval", {}, inside);
        try {
          const answer = await context.with(trace.setSpan(inside, asking), ask);
          asking.setAttribute("callgate.approval.answer", answer.type);
          return answer;
        } finally {
          waitedMs += clock() - since;
          span.setAttribute("callgate.approval.wait_ms", Math.round(waitedMs));
          asking.end();
        }
      },
      send(work) {
        sentAt = clock();
        return context.with(inside, () =>
          work({
            meta: traceContext(span),
            onRequest({ id, sessionId }) {
              span.setAttribute("jsonrpc.request.id", plain(id, 100));
              if (sessionId !== undefined) span.setAttribute("mcp.session.id", plain(sessionId, 200));
            },
          }),
        );
      },
      end(outcome) {
        const error = errorType(outcome);
        if (outcome.ok) body("gen_ai.tool.call.result", outcome.valueJson);
        if (error !== undefined) fail(span, error);
        if (sentAt !== undefined)
          record((clock() - sentAt) / 1_000, {
            ...common,
            ...(error !== undefined && { "error.type": error }),
          });
        span.end();
      },
    };
  }

  return {
    openRun({ runId, principal, policy, labels }) {
      const redactor = options.record(principal);
      const above = context.active();
      const span = trace.getTracer(NAME).startSpan(
        "callgate.run",
        {
          attributes: {
            "callgate.run.id": runId,
            "callgate.policy.hash": policy,
            "callgate.labels": [...labels],
          },
        },
        above,
      );
      const inside = trace.setSpan(above, span);
      return {
        async check(work) {
          const checking = trace.getTracer(NAME).startSpan("callgate.check", {}, inside);
          try {
            return await context.with(trace.setSpan(inside, checking), work);
          } finally {
            checking.end();
          }
        },
        openCall: (request, { protocolVersion }) => openCall(inside, request, protocolVersion, redactor),
        end({ status, code, calls }) {
          span.setAttributes({ "callgate.run.status": status, "callgate.run.calls": calls });
          if (code !== undefined) fail(span, code);
          span.end();
        },
      };
    },
  };
}

/** Whether bodies are wanted. Throws CONFIG_INVALID. */
export function parseTelemetry(given: { readonly bodies?: boolean } | undefined): boolean {
  if (given === undefined) return false;
  const value: unknown = given;
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [""];
  const bodies: unknown = given?.bodies ?? false;
  if (keys.every((key) => key === "bodies") && typeof bodies === "boolean") return bodies;
  throw new CallgateError("CONFIG_INVALID", "telemetry: expected an object with bodies, true or false", {
    data: { path: "telemetry" },
  });
}

/** Security: made here of the span alone: whatever else a propagator of the host would add stays with the host. */
function traceContext(span: Span): Readonly<Record<string, string>> | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return undefined;
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const state = traceState?.serialize() ?? "";
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== "" && { tracestate: state }) };
}

/** Security: the code only; a message may carry what a server or a script said. */
function fail(span: Span, error: string): void {
  span.setAttribute("error.type", error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function errorType(outcome: CallOutcome): string | undefined {
  if (outcome.ok) return undefined;
  return outcome.error.code === "CALL_TOOL_ERROR" ? "tool_error" : outcome.error.code;
}

/** The way to a server, from its configuration; no part of a path or a query. */
export function peerOf(config: { readonly url?: string }): Peer {
  if (config.url === undefined) return { transport: "pipe" };
  const url = URL.parse(config.url);
  if (url === null) return { transport: "tcp" };
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { transport: "tcp", address: url.hostname, port };
}
