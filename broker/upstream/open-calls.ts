// Owns whose question a server of the older era asks: its request arrives on the connection, with nothing that names the call.
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import type { Asker, AskerReply } from "./asker.ts";
import type { Clock } from "./clock.ts";

/** One call on its way. */
export interface OpenCall {
  readonly asker: Asker;
  /** Its time limit stands still until the returned function is called. */
  readonly hold: () => () => void;
}

export interface OpenCalls {
  /** Returns what to call at the end: with false when the server may still be at work on it. */
  enter(call: OpenCall): (answered: boolean) => void;
  /** Never rejects. */
  ask(params: unknown, signal: AbortSignal): Promise<AskerReply>;
}

const DECLINED: AskerReply = { action: "decline" };

/** A call that was given up counts as open for so long, since its server may not have given it up. */
const ABANDONED_MS = 600_000;

/** Of one connection; `onNote` is told why a question was put to nobody. */
export function createOpenCalls(clock: Clock, onNote: (note: string) => void): OpenCalls {
  const open = new Map<OpenCall, AbortController>();
  /** Runs that gave up on a call, and until when that counts. */
  const abandoned = new Map<object, number>();

  function decline(why: string): AskerReply {
    onNote(`it asked a person for input, which was declined: ${why}`);
    return DECLINED;
  }

  function abandonedOwners(): readonly object[] {
    for (const [owner, until] of abandoned) if (until <= clock.now()) abandoned.delete(owner);
    return [...abandoned.keys()];
  }

  return {
    enter(call) {
      const ended = new AbortController();
      open.set(call, ended);
      return (answered) => {
        open.delete(call);
        abandonedOwners();
        if (!answered) abandoned.set(call.asker.owner, clock.now() + ABANDONED_MS);
        ended.abort(new Error("the call ended"));
      };
    },
    async ask(params, signal) {
      const calls = [...open.keys()];
      const owners = new Set([...calls.map(({ asker }) => asker.owner), ...abandonedOwners()]);
      const [first] = calls;
      if (first === undefined) return decline("no call of it is open");
      // Security: another run has another person; the wrong one must neither see the question nor answer it.
      if (owners.size > 1)
        return decline("calls of more than one run are open, and it does not say which one asks");
      const resume = calls.map(({ hold }) => hold());
      const over = new AbortController();
      const endings = calls.map((call) => open.get(call)?.signal);
      const onEnd = (): void => {
        if (endings.every((ending) => ending?.aborted !== false)) over.abort(new Error("the calls ended"));
      };
      for (const ending of endings) ending?.addEventListener("abort", onEnd, { once: true });
      try {
        const question = { params: paramsOf(params), certain: calls.length === 1 };
        const reply = await first.asker.ask(question, { signal: AbortSignal.any([signal, over.signal]) });
        if (reply.note !== undefined) onNote(`it asked a person for input: ${reply.note}`);
        return reply;
      } finally {
        for (const go of resume) go();
      }
    },
  };
}

function paramsOf(params: unknown): JsonObject {
  return isJsonObject(params) ? params : {};
}
