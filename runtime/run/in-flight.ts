// Owns how many calls of one run are open in the broker, and how many of them are at work at one time.
import type { CallSlot } from "../../contract/call.ts";
import type { RunLimits } from "../../contract/limits.ts";

/** What a guest may have open in the broker: sent from the isolate, without a result. */
export interface CallWindow {
  readonly calls: number;
  /** UTF-16 units of their arguments. */
  readonly units: number;
}

/** So many calls can be asked about as one question, however few may be at work. */
const LEAST_CALLS = 256;
const MOST_UNITS = 32 << 20;

/** One call always fits. */
export function callWindow({ callsInFlight, argumentBytes }: RunLimits): CallWindow {
  return {
    calls: Math.max(callsInFlight, LEAST_CALLS),
    units: Math.min(callsInFlight * argumentBytes, Math.max(argumentBytes, MOST_UNITS)),
  };
}

export interface OpenCall {
  readonly slot: CallSlot;
  /** It has an outcome. */
  ended(): void;
  /** Its outcome is on its way to the worker, or never will be. */
  delivered(): void;
}

export interface InFlight {
  open(): OpenCall;
  /** No call gets a slot any more. */
  close(reason: string): void;
  /** Most calls at work at one time so far. */
  readonly most: number;
}

/**
 * Slots go out in the order in which they were asked for.
 * Security: a call keeps its slot until its result has left for the worker, so that results of a worker that takes none
 * do not pile up here.
 */
export function createInFlight(limit: number): InFlight {
  let free = limit;
  let atWork = 0;
  let most = 0;
  const waiting = new Map<() => void, (reason: Error) => void>();
  let closed: { readonly reason: string } | undefined;

  /** In a later turn: the results of this one leave first, so that the worker has work meanwhile. */
  let freed = 0;
  function passOn(): void {
    if (waiting.size === 0) free += 1;
    else if ((freed += 1) === 1) setImmediate(serve);
  }

  function serve(): void {
    for (const next of waiting.keys()) {
      if (freed === 0) return;
      freed -= 1;
      next();
    }
    free += freed;
    freed = 0;
  }

  return {
    open() {
      let state: "none" | "at work" | "ended" = "none";
      const hold = (): void => {
        state = "at work";
        atWork += 1;
        most = Math.max(most, atWork);
      };
      const tryTake = (): boolean => {
        if (state !== "none") return state === "at work";
        if (free === 0 || closed !== undefined) return false;
        free -= 1;
        hold();
        return true;
      };
      return {
        slot: {
          tryTake,
          take() {
            return new Promise((resolve, reject) => {
              if (tryTake()) return resolve();
              if (closed !== undefined) return reject(new Error(closed.reason));
              const next = (): void => {
                waiting.delete(next);
                hold();
                resolve();
              };
              waiting.set(next, reject);
            });
          },
          giveBack() {
            if (state !== "at work") return;
            state = "none";
            atWork -= 1;
            passOn();
          },
        },
        ended() {
          if (state !== "at work") return;
          state = "ended";
          atWork -= 1;
        },
        delivered() {
          if (state !== "ended") return;
          state = "none";
          passOn();
        },
      };
    },
    close(reason) {
      closed ??= { reason };
      for (const reject of waiting.values()) reject(new Error(closed.reason));
      waiting.clear();
    },
    get most() {
      return most;
    },
  };
}
