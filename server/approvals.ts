// Owns who is asked about the calls of a run: the client that started it, and nobody else.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ApprovalAnswer, ApprovalRequest, Approve, RunStore } from "../index.ts";

/** `approve` and `store` belong into the options of `createCallgate`, the whole into those of `createCallgateServer`. */
export interface ServeApprovals {
  readonly approve: Approve;
  readonly store: RunStore;
  /** Questions of every run that `work` starts go to `ask`; without one they are refused, with the rule that would allow. */
  during<Result>(ask: Approve | undefined, work: () => Promise<Result>): Promise<Result>;
}

interface Asker {
  readonly ask: Approve | undefined;
  readonly runIds: Set<string>;
}

/**
 * Makes one gate ask many clients. A run is known by the record it begins with, which the gate creates on behalf of
 * whoever started it.
 */
export function createServeApprove(
  options: {
    /** Keeps the records. @defaultValue none are kept */
    readonly store?: RunStore;
  } = {},
): ServeApprovals {
  const { store } = options;
  const current = new AsyncLocalStorage<Asker>();
  const askers = new Map<string, Asker>();
  return {
    store: {
      create(start) {
        const asker = current.getStore();
        if (asker !== undefined) {
          asker.runIds.add(start.runId);
          askers.set(start.runId, asker);
        }
        return store?.create(start);
      },
      append: (runId, event) => store?.append(runId, event),
      load: (runId) => store?.load(runId),
      end: (runId) => store?.end(runId),
    },
    // Security: a run that cannot be traced to a client is never put to another.
    async approve(request, context) {
      const asker = askers.get(request.runId);
      if (asker?.ask !== undefined) return asker.ask(request, context);
      return refusal(
        request,
        asker === undefined ? "no client started this run" : "this client cannot ask its user",
      );
    },
    async during(ask, work) {
      const asker: Asker = { ask, runIds: new Set() };
      try {
        return await current.run(asker, work);
      } finally {
        for (const runId of asker.runIds) askers.delete(runId);
      }
    },
  };
}

function refusal(request: ApprovalRequest, why: string): ApprovalAnswer {
  const reason = `${why}. A rule that would allow it: ${allowingRule(request)}`;
  return { decision: "deny", reason };
}

/** Policy text that allows every call of the tool. */
export function allowingRule({ server, tool }: Pick<ApprovalRequest, "server" | "tool">): string {
  const pattern = `${literal(server, ".")}.${literal(tool, "")}`;
  // Security: names are the server's own; ASCII-only JSON text cannot forge a second line or reorder the first.
  const text = JSON.stringify(pattern).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `{ "tools": ${text}, "effect": "allow" }`;
}

/** Escapes what a tool pattern reads as a wildcard or separator. */
function literal(name: string, also: string): string {
  return [...name].map((one) => (`*?\\${also}`.includes(one) ? `\\${one}` : one)).join("");
}
