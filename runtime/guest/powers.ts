// Owns the only ways out of the isolate: functions of the worker that take and give primitives.

/** Sends one message; `a`, `b`, `c` and `n` mean what the message type says (runtime/worker/session.ts). */
export type Send = (type: string, seq: number, a: string, b: string, c: string, n: number) => void;
