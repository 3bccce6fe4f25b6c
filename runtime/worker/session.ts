// Owns one run inside the worker: feeds its isolate and reports what the guest sends.
import type {
  DeliverMessage,
  FromWorker,
  PendingCall,
  StartMessage,
  ThrownValue,
} from "../../contract/message.ts";
import type { Isolate, ScriptFunction } from "./engine.ts";

export interface Session {
  readonly isolate: Isolate;
  deliver(message: DeliverMessage): void;
  /** Says so when the guest has come to rest. */
  drain(): void;
  /** Compares CPU time with the limit; called by the worker's poll. */
  poll(): void;
  end(): void;
}

const UNHANDLED_SHOWN = 10;
const UNHANDLED_UNITS = 500;
/** Of what V8 says of a script's syntax: it may repeat a name or a pattern of the script. */
const SYNTAX_UNITS = 8_000;
/** CPU time between two reports of it. */
const TOLD_MS = 50;
/** How long an isolate may go on after its script is done before the whole worker is given up. */
const IDLE_GRACE_MS = 25;

export function startSession(
  message: StartMessage,
  isolate: Isolate,
  send: (message: FromWorker) => void,
): Session {
  const { slot } = message;
  const unhandled: string[] = [];
  let over = false;
  let told = 0;
  let last: Promise<void> = Promise.resolve();
  /** Deliveries that arrived before the script began, as all of a repeated run's do. */
  let early: DeliverMessage[] | undefined = [];
  let drainsEarly = 0;

  function limit(code: "RUN_CPU_LIMIT" | "RUN_MEMORY_LIMIT" | "RUN_CALL_LIMIT" | "RUN_OUTPUT_LIMIT"): void {
    if (over) return;
    over = true;
    send({ type: "limit", slot, code, cpuMs: isolate.cpuMs() });
  }

  /** Tasks are queued to the isolate at once and run there one at a time, each with its own microtask drain. */
  function task(kind: string, seq: number, at: number, payload: string | ScriptFunction, ok: boolean): void {
    last = isolate.deliver(kind, seq, at, payload, ok).catch((error: unknown) => {
      if (isolate.isDisposed) limit("RUN_MEMORY_LIMIT");
      else if (unhandled.length < UNHANDLED_SHOWN) {
        unhandled.push(messageOf(error));
      }
    });
  }

  async function done(
    thrown: ThrownValue | undefined,
    pending: readonly PendingCall[],
    pendingCount: number,
    syntax: boolean,
  ): Promise<void> {
    if (over) return;
    over = true;
    let timer: NodeJS.Timeout | undefined;
    const idle = await Promise.race([
      last.then(() => true),
      new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, IDLE_GRACE_MS, false);
      }),
    ]);
    clearTimeout(timer);
    const cpuMs = isolate.cpuMs();
    const heapMb = idle && !isolate.isDisposed ? isolate.heapMb() : 0;
    send({ type: "done", slot, thrown, syntax, unhandled, pending, pendingCount, cpuMs, heapMb, idle });
  }

  isolate.onSend = (type, seq, a, b, c, n) => {
    if (over) return;
    switch (type) {
      case "call":
        return send({ type, slot, seq, namespace: a, identifier: b, json: c, line: n });
      case "timer":
        return send({ type, slot, seq, delayMs: n });
      case "cancelTimer":
        return send({ type, slot, seq });
      case "emit":
        return send({ type, slot, json: a, data: b });
      case "log":
        return send({ type, slot, text: a });
      case "limit":
        return limit(a as "RUN_CALL_LIMIT");
      case "done":
        return void done(
          a === "" ? undefined : (JSON.parse(a) as ThrownValue),
          JSON.parse(b) as PendingCall[],
          seq,
          false,
        );
      default:
        return;
    }
  };

  const { seed, timeZone, manifestJson, limits } = message;
  task("start", 0, message.at, JSON.stringify({ seed, timeZone, manifestJson, limits }), true);
  isolate.compile(message.code).then(
    (script) => {
      task("main", 0, message.at, script, true);
      const waiting = early ?? [];
      early = undefined;
      waiting.forEach(deliver);
      for (; drainsEarly > 0; drainsEarly -= 1) drain();
    },
    (error: unknown) => {
      if (isolate.isDisposed) return limit("RUN_MEMORY_LIMIT");
      const { name, message: text, stack } = error as Error;
      return done({ name, message: bounded(text), stack: bounded(stack) }, [], 0, true);
    },
  );

  function deliver(delivery: DeliverMessage): void {
    if (early !== undefined) early.push(delivery);
    else if (!over) task(delivery.event, delivery.seq, delivery.at, delivery.json, delivery.ok);
  }

  function drain(): void {
    if (early !== undefined) drainsEarly += 1;
    else
      void last.then(() => {
        if (!over) send({ type: "drained", slot });
      });
  }

  return {
    isolate,
    deliver,
    drain,
    poll() {
      if (over) return;
      const spent = isolate.cpuMs();
      if (spent > message.cpuMs) return limit("RUN_CPU_LIMIT");
      if (spent - told < TOLD_MS) return;
      told = spent;
      send({ type: "cpu", slot, cpuMs: spent });
    },
    end() {
      over = true;
      isolate.dispose();
    },
  };
}

function bounded(text: unknown): string {
  return typeof text === "string" ? text.slice(0, SYNTAX_UNITS) : "";
}

/** A script may reject a promise with anything: null, a number, an error without a message. */
function messageOf(rejection: unknown): string {
  const isObject = typeof rejection === "object" && rejection !== null;
  const message = isObject ? (rejection as { message?: unknown }).message : rejection;
  return String(message).slice(0, UNHANDLED_UNITS);
}
