// Owns the bootstrap of an isolate: installs the globals, then answers the worker's deliveries.
// Security: everything reachable from a script is built here from captured intrinsics; no object of the worker ever enters.
import { createCalls } from "./calls.ts";
import { installCatalog } from "./catalog.ts";
import { formatValue } from "./globals/format.ts";
import { installGlobals } from "./globals/install.ts";
import { installNamespaces } from "./namespaces.ts";
import type { Send } from "./powers.ts";
import {
  JSONParse,
  JSONStringify,
  ObjectDefineProperty,
  PromiseCtor,
  PromiseThen,
  ReflectApply,
  safeList,
  append,
} from "./primordials.ts";
import { describeThrown } from "./thrown.ts";
import { createTimers } from "./timers.ts";
import { ToolError } from "./tool-error.ts";

interface Start {
  readonly seed: string;
  readonly timeZone: string;
  readonly manifestJson: string;
  readonly limits: {
    readonly calls: number;
    readonly callsInFlight: number;
    readonly argumentBytes: number;
    readonly logBytes: number;
    readonly timers: number;
  };
}

/** Counted for every line besides its text, so that a flood of empty lines ends too. */
const LINE_BYTES = 64;

type Deliver = (kind: string, seq: number, at: number, payload: unknown, ok: boolean) => void;

/** Called once per isolate by the worker; the result receives everything that happens to the run. */
export function boot(send: Send): Deliver {
  let now = 0;
  let logBudget = 0;
  const starters = safeList<(start: { seed: string; timeZone: string }) => void>();
  const calls = createCalls(send);
  const timers = createTimers(send);
  const settled = PromiseCtor.resolve();

  const log = (level: string, text: string): void => {
    logBudget -= text.length + LINE_BYTES;
    if (logBudget < 0) send("limit", 0, "RUN_OUTPUT_LIMIT", "", "", 0);
    else send("log", 0, level, text, "", 0);
  };

  installGlobals({
    now: () => now,
    onStart: (listener) => append(starters, listener),
    log,
    startTimer: timers.start,
    cancelTimer: timers.cancel,
  });
  ObjectDefineProperty(globalThis, "ToolError", {
    __proto__: null,
    value: ToolError,
    configurable: true,
    writable: true,
  });

  function start(json: string): void {
    const facts = JSONParse(json) as Start;
    logBudget = facts.limits.logBytes;
    calls.setLimits(facts.limits);
    timers.setLimit(facts.limits.timers);
    installNamespaces(facts.manifestJson, calls);
    installCatalog(calls);
    for (let index = 0; index < starters.length; index += 1) {
      ReflectApply(starters[index] as never, undefined, [facts]);
    }
  }

  function done(thrown: string): void {
    send("done", calls.pendingCount(), thrown, calls.pendingJson(), "", 0);
  }

  function main(script: () => Promise<unknown>): void {
    // As a reaction of a settled promise, so that no frame of the bootstrap lies under the script.
    PromiseThen(
      PromiseThen(settled, script),
      (value) => {
        if (value !== undefined) log("log", typeof value === "string" ? value : formatValue(value));
        done("");
      },
      (thrown) => done(JSONStringify(describeThrown(thrown, formatValue)) ?? "{}"),
    );
  }

  return (kind, seq, at, payload, ok) => {
    now = at;
    if (kind === "call") calls.deliver(seq, ok, payload as string);
    else if (kind === "timer") timers.deliver(seq);
    else if (kind === "start") start(payload as string);
    else if (kind === "main") main(payload as () => Promise<unknown>);
  };
}
