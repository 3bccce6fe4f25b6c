// Owns the broker side of one run: its record, its calls in flight, its timers, its one end.
import { WRAPPER } from "../../contract/compile.ts";
import type {
  CallMessage,
  DeliverMessage,
  DrainMessage,
  FromWorker,
  StartMessage,
} from "../../contract/message.ts";
import type { Delivery, RunEvent } from "../../contract/record.ts";
import { byteLength } from "../../contract/json.ts";
import { MAX_EMITTED } from "../../contract/content.ts";
import { createDrains } from "./drains.ts";
import { createEmitted, type Emitted } from "./emitted.ts";
import { callWindow, createInFlight } from "./in-flight.ts";
import { guestManifest } from "./manifest.ts";
import { eventBytes } from "./memory-store.ts";
import { limitMessage } from "./messages.ts";
import { createOutput, type Output } from "./output.ts";
import type { Cause, RunEnd, RunRequest, StopCode, PendingCall } from "./request.ts";
import { createSettlement } from "./settle.ts";
import { createTimers } from "./timers.ts";
import { createWallClock } from "./wall-clock.ts";

/** The run's way to the worker that serves it now. */
export interface Attachment {
  readonly slot: number;
  send(message: StartMessage | DeliverMessage | DrainMessage): Promise<void>;
  /** The worker sent what no honest worker sends for this run. */
  violate(detail: string): void;
}

export interface Run {
  readonly settled: Promise<Cause>;
  /** False when the isolate was still busy at the end: its worker must die. */
  readonly clean: boolean;
  /** False once the record outgrew what is kept: the run then cannot move to another worker. */
  readonly movable: boolean;
  /** Starts it in this worker, or moves it there by repeating its record. */
  attach(attachment: Attachment): void;
  detach(): void;
  receive(message: Exclude<FromWorker, { type: "ready" }>): void;
  stop(code: StopCode, message?: string): void;
  /** After `settled`: waits for calls to notice the abort. */
  end(): Promise<RunEnd>;
}

/** Beyond this a run stays with its worker, bytes of events. */
const MOVABLE_BYTES = 32 << 20;
/** What the guest counts for a line besides its text (runtime/guest/log.ts). */
const LINE_UNITS = 64;
/** Least CPU time between two reports of it. */
const CPU_FRAME_MS = 50;
/** Frames of a run besides calls, timers, logs and reports of CPU time. */
const OTHER_FRAMES = 8;

type Request = Extract<RunEvent, { type: "request" }>;

export function createRun(request: RunRequest): Run {
  const { limits, clock } = request;
  const settlement = createSettlement<Cause>();
  const abort = new AbortController();
  const events: Delivery[] = [];
  const known = new Map<number, Request>();
  const running = new Set<Promise<void>>();
  const window = callWindow(limits);
  const inFlight = createInFlight(limits.callsInFlight);
  const startedAt = request.at;
  const startedClock = performance.now();
  let output: Output = createOutput(limits.outputBytes, request.redact);
  let emitted: Emitted = newEmitted();
  let attachment: Attachment | undefined;
  let lastSeq = 0;
  let made = 0;
  /** Calls whose result has not yet been sent to the worker. */
  let undelivered = 0;
  let undeliveredUnits = 0;
  /** Events sent to the worker. */
  let told = 0;
  let frames = 0;
  /** Security: the guest bounds everything it sends; a flood of cheap frames would keep the broker from other runs. */
  const mostFrames =
    limits.calls +
    2 * limits.timers +
    Math.ceil(limits.logBytes / LINE_UNITS) +
    Math.ceil(limits.cpuMs / CPU_FRAME_MS) +
    MAX_EMITTED +
    OTHER_FRAMES;
  let lastAt = startedAt;
  let recordBytes = 0;
  let resultBytes = 0;
  let cpuMs = 0;
  let heapMb = 0;
  let clean = true;
  let unhandled: readonly string[] = [];
  let pending: readonly PendingCall[] = [];
  let deliveries: Promise<void> = Promise.resolve();

  const timers = createTimers({
    limit: limits.timers,
    fire: (seq) => void record({ type: "timer", seq, at: tick() }),
  });
  const wall = createWallClock({ wallMs: limits.wallMs, expire: () => stop("RUN_TIMEOUT") });
  const onAbort = (): void => stop("RUN_ABORTED");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted === true) onAbort();

  function newEmitted(): Emitted {
    const replay = request.replay !== undefined;
    return createEmitted({ emitBytes: limits.emitBytes, find: request.emitted, replay });
  }

  function settle(cause: Cause): void {
    if (!settlement.settle(cause)) return;
    wall.stop();
    timers.clear();
    request.signal?.removeEventListener("abort", onAbort);
    const why = cause.type === "stopped" ? cause.code : cause.type;
    inFlight.close(why);
    abort.abort(why);
  }

  function stop(code: StopCode, message: string = limitMessage(code, limits)): void {
    if (settlement.cause !== undefined) return;
    clean = false;
    settle({ type: "stopped", code, message });
  }

  const drains = createDrains(() => {
    if (attachment !== undefined) void attachment.send({ type: "drain", slot: attachment.slot });
  });

  async function rest(): Promise<boolean> {
    await deliveries;
    const before = told;
    await drains.wait();
    return told === before && undelivered === wall.holds;
  }

  function violate(detail: string): void {
    // Security: until the worker is dead, none of the calls that wait is made.
    inFlight.close(detail);
    attachment?.violate(detail);
  }

  /** The clock of the run never goes back. */
  function tick(): number {
    lastAt = Math.max(lastAt, clock());
    return lastAt;
  }

  async function append(event: RunEvent): Promise<void> {
    recordBytes += eventBytes(event);
    if (recordBytes > MOVABLE_BYTES) {
      // A run that cannot move is never repeated; a flood of large calls must not stay here.
      known.clear();
      events.length = 0;
    }
    await request.store.append(request.runId, event);
  }

  /** Appends a delivery to the record, then makes it; one after the other. Resolves when it is on its way. */
  function record(event: Delivery): Promise<void> {
    deliveries = deliveries.then(async () => {
      if (settlement.cause !== undefined) return;
      await append(event);
      if (recordBytes <= MOVABLE_BYTES) events.push(event);
      await deliver(event);
    });
    deliveries.catch(fail);
    return deliveries;
  }

  function fail(error: unknown): void {
    stop("INTERNAL", `Callgate failed: ${String(error).slice(0, 200)}. Please report it.`);
  }

  async function deliver(event: Delivery): Promise<void> {
    if (attachment === undefined || settlement.cause !== undefined) return;
    told += 1;
    const common = { type: "deliver", slot: attachment.slot, seq: event.seq, at: event.at } as const;
    if (event.type === "timer") return attachment.send({ ...common, event: "timer", ok: true, json: "" });
    const { outcome } = event;
    if (outcome.ok && outcome.handles !== undefined) {
      const json = `{"value":${outcome.valueJson},"handles":${JSON.stringify(outcome.handles)}}`;
      return attachment.send({ ...common, event: "content", ok: true, json });
    }
    const json = outcome.ok ? outcome.valueJson : JSON.stringify(outcome.error);
    return attachment.send({ ...common, event: "call", ok: outcome.ok, json });
  }

  async function perform(call: Request, line: number): Promise<void> {
    await append(call);
    const { seq, server, tool, argumentsJson } = call;
    const open = inFlight.open();
    const written = line - WRAPPER.lines + request.lineOffset;
    const outcome = await request.call(
      {
        runId: request.runId,
        seq,
        server,
        tool,
        argumentsJson,
        ...(line > WRAPPER.lines && { line: written }),
      },
      { signal: abort.signal, holdWall: wall.hold, slot: open.slot, rest },
    );
    open.ended();
    if (outcome.ok) resultBytes += byteLength(outcome.valueJson);
    void record({ type: "call", seq, at: tick(), outcome }).then(
      () => {
        undelivered -= 1;
        undeliveredUnits -= argumentsJson.length;
        open.delivered();
      },
      () => {},
    );
  }

  function onCall(message: CallMessage): void {
    // Security: the guest numbers and bounds its calls; a worker that does not is no honest worker.
    if (message.seq !== lastSeq + 1) return violate("call numbers out of order");
    if (byteLength(message.json) > limits.argumentBytes * 4) return violate("arguments over the limit");
    lastSeq = message.seq;
    const { seq, namespace, identifier } = message;
    const target = request.manifest.get(namespace)?.get(identifier);
    // Security: a guest has stubs for its manifest only.
    if (target === undefined) return violate("a call of a tool it was not given");
    const call: Request = { type: "request", seq, ...target, argumentsJson: message.json };
    const before = known.get(seq);
    if (before !== undefined) {
      made = Math.max(made, seq);
      return verify(before, call);
    }
    if (request.replay !== undefined) {
      return stop("RUN_DIVERGED", `Call ${seq} (${call.server}.${call.tool}) is not in the record.`);
    }
    if (seq > limits.calls) return stop("RUN_CALL_LIMIT");
    // Security: a worker that takes no results gets no calls made, or results would pile up here. The one more is the
    // result that has arrived there and is not yet known here to be gone.
    const units = undeliveredUnits + message.json.length;
    if (
      running.size >= window.calls ||
      undelivered > window.calls ||
      units > window.units + limits.argumentBytes
    ) {
      return violate("more open calls than allowed");
    }
    undelivered += 1;
    undeliveredUnits = units;
    made = seq;
    if (recordBytes <= MOVABLE_BYTES) known.set(seq, call);
    const task = perform(call, message.line).catch(fail);
    const tracked: Promise<void> = task.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  /** A repeated run must ask for the same calls in the same order. */
  function verify(before: Request, now: Request): void {
    const same =
      before.server === now.server && before.tool === now.tool && before.argumentsJson === now.argumentsJson;
    if (same) return;
    const text = `Call ${now.seq} was ${before.server}.${before.tool}; repeated, it is ${now.server}.${now.tool} or has other arguments.`;
    stop("RUN_DIVERGED", text);
  }

  function onDone(message: Extract<FromWorker, { type: "done" }>): void {
    cpuMs = message.cpuMs;
    heapMb = message.heapMb;
    clean = message.idle;
    unhandled = message.unhandled;
    pending = message.pending.map(({ seq, namespace, identifier, sent }) => {
      const target = request.manifest.get(namespace)?.get(identifier);
      return { seq, server: target?.server ?? namespace, tool: target?.tool ?? identifier, sent };
    });
    if (message.thrown !== undefined) {
      return settle({ type: "threw", syntax: message.syntax ?? false, ...message.thrown });
    }
    const left = message.pendingCount;
    if (left === 0) return settle({ type: "returned" });
    const first = pending.map(({ server, tool }) => `${server}.${tool}`)[0] ?? "a call";
    const text = `The script ended while ${left} of its calls had no result, ${first} first. Await every call before the script ends.`;
    settle({ type: "stopped", code: "RUN_PENDING_CALLS", message: text });
  }

  return {
    settled: settlement.settled,
    get clean() {
      return clean;
    },
    get movable() {
      return recordBytes <= MOVABLE_BYTES;
    },
    attach(next) {
      attachment = next;
      lastSeq = 0;
      frames = 0;
      output = createOutput(limits.outputBytes, request.redact);
      emitted = newEmitted();
      timers.rewind();
      if (settlement.cause !== undefined) return;
      const { code, seed, timeZone } = request;
      const { memoryMb, cpuMs: cpuLimit } = limits;
      void next.send({
        type: "start",
        slot: next.slot,
        code,
        seed,
        at: startedAt,
        timeZone,
        manifestJson: guestManifest(request.manifest),
        memoryMb,
        cpuMs: cpuLimit,
        limits: {
          calls: limits.calls,
          argumentBytes: limits.argumentBytes,
          openCalls: window.calls,
          openUnits: window.units,
          logBytes: limits.logBytes,
          emitBytes: limits.emitBytes,
          timers: limits.timers,
        },
      });
      for (const event of request.replay?.events ?? []) {
        if (event.type === "request") known.set(event.seq, event);
        else void deliver(event);
      }
      for (const event of events) void deliver(event);
      drains.rewind();
    },
    detach() {
      attachment = undefined;
    },
    receive(message) {
      if (settlement.cause !== undefined) return clean ? violate("a frame after the end") : undefined;
      frames += 1;
      if (frames > mostFrames) return violate("more frames than its limits allow");
      switch (message.type) {
        case "call":
          return onCall(message);
        case "timer":
          if (request.replay !== undefined) return;
          return timers.start(message.seq, message.delayMs)
            ? undefined
            : violate("timer numbers out of order");
        case "cancelTimer":
          return timers.cancel(message.seq);
        case "log":
          output.add(message.text);
          return output.loggedBytes > limits.logBytes * 4 ? violate("logs over the limit") : undefined;
        case "emit": {
          const fault = emitted.add(message.json, message.data);
          return fault === undefined ? undefined : violate(fault);
        }
        case "cpu":
          cpuMs = message.cpuMs;
          return;
        case "drained":
          // Not one of those that the guest's limits bound: each was asked for.
          frames -= 1;
          return drains.answered() ? undefined : violate("a rest that nobody asked for");
        case "limit":
          cpuMs = message.cpuMs;
          return stop(message.code);
        case "done":
          return onDone(message);
      }
    },
    stop,
    async end() {
      const cause = await settlement.settled;
      await Promise.all(running);
      await deliveries.catch(() => {});
      const usage = {
        wallMs: Math.round(performance.now() - startedClock),
        cpuMs: Math.round(cpuMs),
        heapMb: Math.round(heapMb * 10) / 10,
        calls: made,
        maxCallsInFlight: inFlight.most,
        loggedBytes: output.loggedBytes,
        resultBytes,
        timers: timers.started,
        limits,
      };
      return { cause, ...output.result(), content: emitted.list(), unhandled, pending, usage };
    },
  };
}
