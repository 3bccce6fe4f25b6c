// Owns runs that outlive a request: in the 2026-07-28 era a question is the answer to a call, and the call comes again.
import { randomUUID } from "node:crypto";
import type { RunProgress } from "../index.ts";
import type { Put, Question } from "./put.ts";

/** What the client is given to bring back. */
export interface RoundState {
  readonly run: string;
  readonly question: number;
}

export type Step<Result> =
  | { readonly type: "result"; readonly result: Result }
  | { readonly type: "question"; readonly question: Question; readonly state: RoundState };

export interface RoundWork<Result> {
  /** Undefined when the client has nobody to ask. */
  readonly asks: boolean;
  run(options: {
    readonly put: Put | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: (progress: RunProgress) => void;
  }): Promise<Result>;
}

/** One request of a client: its end and its progress. */
export interface RoundRequest {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RunProgress) => void;
}

export interface Rounds<Result> extends AsyncDisposable {
  begin(work: RoundWork<Result>, request: RoundRequest): Promise<Step<Result>>;
  /** Undefined for a run that is over and told, or never was. */
  resume(
    state: RoundState,
    /** By the key of the question. */
    responses: Readonly<Record<string, unknown>> | undefined,
    request: RoundRequest,
  ): Promise<Step<Result>> | undefined;
}

/** How long a result waits for a client that went away at a question. */
const CLAIM_MS = 600_000;
/** Results that wait. */
const UNCLAIMED = 64;

export function createRounds<Result>(): Rounds<Result> {
  const open = new Map<string, Conversation<Result>>();
  const claims = new Map<string, NodeJS.Timeout>();

  function forget(id: string): void {
    open.delete(id);
    clearTimeout(claims.get(id));
    claims.delete(id);
  }

  async function step(run: Conversation<Result>, request: RoundRequest): Promise<Step<Result>> {
    let told = true;
    try {
      const next = await run.next(request);
      told = next.type === "result";
      return next;
    } finally {
      // A result may hold megabytes: nothing of a run stays once it is told.
      if (told) forget(run.id);
    }
  }

  function keepForClaim(id: string): void {
    if (!open.has(id)) return;
    claims.set(id, setTimeout(() => forget(id), CLAIM_MS).unref());
    const waiting = [...open.values()].filter((run) => run.ended);
    for (const run of waiting.slice(0, Math.max(0, waiting.length - UNCLAIMED))) forget(run.id);
  }

  return {
    begin(work, request) {
      const run = new Conversation<Result>();
      open.set(run.id, run);
      run.start(work, () => keepForClaim(run.id));
      return step(run, request);
    },
    resume(state, responses, request) {
      const run = open.get(state.run);
      if (run === undefined) return undefined;
      run.answer(state.question, responses);
      return step(run, request);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((run) => run.abort(new Error("Callgate is closing."))));
      for (const id of [...open.keys(), ...claims.keys()]) forget(id);
    },
  };
}

interface OpenQuestion {
  readonly number: number;
  readonly question: Question;
  readonly settle: (response: unknown) => void;
}

type Ended<Result> =
  { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly error: unknown };

class Conversation<Result> {
  readonly id: string = randomUUID();
  readonly #controller = new AbortController();
  #ended: Ended<Result> | undefined;
  #finished: Promise<void> = Promise.resolve();
  #question: OpenQuestion | undefined;
  #asked: number = 0;
  #requests: Set<RoundRequest> = new Set();
  #changed: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  start(work: RoundWork<Result>, ended: () => void): void {
    const running = work.run({
      put: work.asks ? (question, options) => this.#put(question, options.signal) : undefined,
      signal: this.#controller.signal,
      onProgress: (progress) => {
        for (const request of this.#requests) request.onProgress(progress);
      },
    });
    this.#finished = running
      .then(
        (result): Ended<Result> => ({ ok: true, result }),
        (error: unknown): Ended<Result> => ({ ok: false, error }),
      )
      .then((end) => {
        this.#ended = end;
        this.#wake();
        ended();
      });
  }

  /** Waits for the result or a question. A request that is cancelled ends the run. */
  async next(request: RoundRequest): Promise<Step<Result>> {
    const cancel = (): void => this.#controller.abort(request.signal.reason);
    request.signal.addEventListener("abort", cancel, { once: true });
    if (request.signal.aborted) cancel();
    this.#requests.add(request);
    try {
      for (;;) {
        if (this.#ended !== undefined) {
          if (!this.#ended.ok) throw this.#ended.error;
          return { type: "result", result: this.#ended.result };
        }
        if (this.#question !== undefined) {
          const { question, number } = this.#question;
          return { type: "question", question, state: { run: this.id, question: number } };
        }
        await this.#changed.promise;
      }
    } finally {
      request.signal.removeEventListener("abort", cancel);
      this.#requests.delete(request);
    }
  }

  /** Security: an answer counts for the question it was given to, never for a later one. */
  answer(number: number, responses: Readonly<Record<string, unknown>> | undefined): void {
    if (this.#question?.number !== number) return;
    const { settle, question } = this.#question;
    const response = responses?.[question.key];
    if (response === undefined) return;
    this.#question = undefined;
    settle(response);
  }

  abort(reason: Error): Promise<void> {
    this.#controller.abort(reason);
    return this.#finished;
  }

  /** The broker asks one question of a run at a time. */
  #put(question: Question, signal: AbortSignal): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const open: OpenQuestion = { number: ++this.#asked, question, settle: resolve };
    this.#question = open;
    const expire = (): void => {
      if (this.#question !== open) return;
      this.#question = undefined;
      resolve(undefined);
      // Nobody came back for this run, so nobody is left whom it serves.
      if (this.#requests.size === 0) this.#controller.abort(new Error("nobody answered"));
      this.#wake();
    };
    signal.addEventListener("abort", expire, { once: true });
    if (signal.aborted) expire();
    this.#wake();
    return promise;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
