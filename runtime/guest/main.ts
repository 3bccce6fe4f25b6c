// Owns the bootstrap of an isolate: installs the globals, then answers the worker's deliveries.
// Security: everything reachable from a script is built here from captured intrinsics; no object of the worker ever enters.
import { createCalls } from "./calls.ts";
import { installCatalog } from "./catalog.ts";
import { nameFunction } from "./globals/define.ts";
import { formatValue } from "./globals/format.ts";
import { installGlobals } from "./globals/install.ts";
import { createContent } from "./content.ts";
import { createLog } from "./log.ts";
import { installNamespaces } from "./namespaces.ts";
import type { Send } from "./powers.ts";
import {
  globalObject,
  JSONParse,
  JSONStringify,
  ObjectDefineProperty,
  PromiseCtor,
  PromiseThen,
  ReflectApply,
  safeList,
  append,
} from "./primordials.ts";
import { writeReturned } from "./returned.ts";
import { describeThrown } from "./thrown.ts";
import { createTimers } from "./timers.ts";
import { ToolError } from "./tool-error.ts";

interface Start {
  readonly seed: string;
  readonly timeZone: string;
  readonly manifestJson: string;
  readonly limits: {
    readonly calls: number;
    readonly openCalls: number;
    readonly openUnits: number;
    readonly argumentBytes: number;
    readonly logBytes: number;
    readonly emitBytes: number;
    readonly timers: number;
  };
}

type Deliver = (kind: string, seq: number, at: number, payload: unknown, ok: boolean) => void;

/** Called once per isolate by the worker; the result receives everything that happens to the run. */
export function boot(send: Send): Deliver {
  let now = 0;
  const starters = safeList<(start: { seed: string; timeZone: string }) => void>();
  const calls = createCalls(send, (value, paths) => content.revive(value, paths));
  const content = createContent(send, () => calls);
  const log = createLog(send);
  const timers = createTimers(send);
  const settled = PromiseCtor.resolve();

  installGlobals({
    now: () => now,
    onStart: (listener) => append(starters, listener),
    log: (_level, text) => log.add(text),
    startTimer: timers.start,
    cancelTimer: timers.cancel,
  });
  nameFunction(ToolError, "ToolError");
  ObjectDefineProperty(globalObject, "ToolError", {
    __proto__: null,
    value: ToolError,
    configurable: true,
    writable: true,
  });

  function start(json: string): void {
    const facts = JSONParse(json) as Start;
    log.setBudget(facts.limits.logBytes);
    calls.setLimits(facts.limits);
    content.setLimit(facts.limits.emitBytes);
    timers.setLimit(facts.limits.timers);
    installNamespaces(facts.manifestJson, calls);
    installCatalog(calls);
    for (let index = 0; index < starters.length; index += 1) {
      ReflectApply(starters[index] as never, undefined, [facts]);
    }
  }

  function done(thrown: string): void {
    log.flush();
    send("done", calls.pendingCount(), thrown, calls.pendingJson(), "", 0);
  }

  function main(script: () => Promise<unknown>): void {
    // As a reaction of a settled promise, so that no frame of the bootstrap lies under the script.
    void PromiseThen(
      PromiseThen(settled, script),
      (value) => {
        if (value !== undefined) log.add(writeReturned(value, formatValue));
        done("");
      },
      (thrown) => done(JSONStringify(describeThrown(thrown, formatValue)) ?? "{}"),
    );
  }

  return (kind, seq, at, payload, ok) => {
    now = at;
    log.flush();
    if (kind === "call") calls.deliver(seq, ok, payload as string, false);
    else if (kind === "content") calls.deliver(seq, ok, payload as string, true);
    else if (kind === "timer") timers.deliver(seq);
    else if (kind === "start") start(payload as string);
    else if (kind === "main") main(payload as () => Promise<unknown>);
  };
}
