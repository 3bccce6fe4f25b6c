// Owns the calls of a run inside the isolate: numbering, the window of open calls, delivery of outcomes.
import { captureCallSite, type CallSite } from "./call-site.ts";
import type { Send } from "./powers.ts";
import { JSONParse, JSONStringify, ObjectCreate, PromiseCtor, ReflectApply, SafeMap } from "./primordials.ts";
import { createToolError, type ToolErrorFacts } from "./tool-error.ts";

/** Structural copy of contract GuestLimits: the guest imports nothing but types, and needs only these. */
export interface CallLimits {
  readonly calls: number;
  readonly argumentBytes: number;
  readonly openCalls: number;
  readonly openUnits: number;
}

interface PendingCall {
  readonly namespace: string;
  readonly identifier: string;
  readonly json: string;
  readonly site: CallSite;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface Calls {
  setLimits(limits: CallLimits): void;
  /** `stub` is the function the script called; its caller is the place of the call. */
  call(namespace: string, identifier: string, args: unknown, stub: object): Promise<unknown>;
  /** Settles one call, then sends the next that waits. Unknown numbers are ignored. `content`: handles are in the value. */
  deliver(seq: number, ok: boolean, json: string, content: boolean): void;
  /** Calls without a result. */
  pendingCount(): number;
  /** JSON text of at most 50 of them, oldest first. */
  pendingJson(): string;
}

const PENDING_SHOWN = 50;

/** `revive` puts handles at paths of a value. */
export function createCalls(send: Send, revive: (value: unknown, paths: unknown) => unknown): Calls {
  const pending = new SafeMap<number, PendingCall>();
  let limits: CallLimits = { calls: 0, argumentBytes: 0, openCalls: 0, openUnits: 0 };
  let made = 0;
  let sent = 0;
  let open = 0;
  let openUnits = 0;
  let over = false;

  function sendNext(): void {
    while (sent < made && open < limits.openCalls) {
      const call = pending.get(sent + 1);
      if (call !== undefined && openUnits + call.json.length > limits.openUnits) return;
      sent += 1;
      if (call === undefined) continue;
      open += 1;
      openUnits += call.json.length;
      send("call", sent, call.namespace, call.identifier, call.json, call.site.line);
    }
  }

  function refuse(namespace: string, identifier: string, site: CallSite, message: string): Promise<never> {
    const facts: ToolErrorFacts = {
      code: "CALL_INVALID_ARGUMENTS",
      server: namespace,
      tool: identifier,
      message: `${namespace}.${identifier}: ${message}`,
      retryable: false,
    };
    return new PromiseCtor<never>((_resolve, reject) => {
      reject(createToolError(facts, site.frames));
    });
  }

  return {
    setLimits(next) {
      limits = next;
    },
    call(namespace, identifier, args, stub) {
      const site = captureCallSite(stub);
      let json: string | undefined;
      try {
        json = args === undefined ? "{}" : JSONStringify(args);
      } catch {
        return refuse(
          namespace,
          identifier,
          site,
          "the arguments are not JSON (a cycle, a BigInt or a throwing getter)",
        );
      }
      if (json === undefined)
        return refuse(namespace, identifier, site, "the arguments are not a JSON object");
      if (json.length > limits.argumentBytes) {
        return refuse(
          namespace,
          identifier,
          site,
          `the arguments are over the limit of ${limits.argumentBytes} bytes`,
        );
      }
      if (made >= limits.calls) {
        if (!over) send("limit", 0, "RUN_CALL_LIMIT", "", "", 0);
        over = true;
        return new PromiseCtor<never>(() => {});
      }
      made += 1;
      const seq = made;
      const text = json;
      return new PromiseCtor<unknown>((resolve, reject) => {
        pending.set(seq, { namespace, identifier, json: text, site, resolve, reject });
        sendNext();
      });
    },
    deliver(seq, ok, json, content) {
      const call = pending.get(seq);
      if (call === undefined) return;
      pending.delete(seq);
      open -= 1;
      openUnits -= call.json.length;
      const value = JSONParse(json);
      if (content) {
        const { value: inner, handles } = value as { readonly value: unknown; readonly handles: unknown };
        ReflectApply(call.resolve, undefined, [revive(inner, handles)]);
      } else if (ok) ReflectApply(call.resolve, undefined, [value]);
      else {
        const facts = value as ToolErrorFacts;
        if (facts.handles !== undefined) revive(facts.content, facts.handles);
        ReflectApply(call.reject, undefined, [createToolError(facts, call.site.frames)]);
      }
      sendNext();
    },
    pendingCount: () => pending.size,
    pendingJson() {
      let text = "";
      let shown = 0;
      for (let seq = 1; seq <= made && shown < PENDING_SHOWN; seq += 1) {
        const call = pending.get(seq);
        if (call === undefined) continue;
        const record = ObjectCreate(null);
        record["seq"] = seq;
        record["namespace"] = call.namespace;
        record["identifier"] = call.identifier;
        record["sent"] = seq <= sent;
        text += (shown === 0 ? "" : ",") + (JSONStringify(record) ?? "");
        shown += 1;
      }
      return `[${text}]`;
    },
  };
}
