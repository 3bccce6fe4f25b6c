// Owns the questions that servers put to a person during the calls of one run: who is asked, and what is sent back.
import type { CallRequest } from "../../contract/call.ts";
import type { Elicit } from "../../contract/elicitation.ts";
import type { InTurn } from "../turns.ts";
import type { Asker, AskerReply } from "../upstream/asker.ts";
import type { RunWitness } from "../witness.ts";
import { checkAnswer, type CheckedAnswer } from "./answer.ts";
import { parseForm } from "./form.ts";

export interface Questions {
  /** Who answers what the server asks during this call. */
  askerFor(request: CallRequest, options: { readonly holdWall: () => () => void }): Asker;
}

export interface QuestionOptions {
  readonly runId: string;
  /** Undefined: nobody is there, and every question is declined. */
  readonly elicit: Elicit | undefined;
  /** For one question, ms. */
  readonly timeoutMs: number;
  readonly inTurn: InTurn;
  readonly witness: Pick<RunWitness, "elicited">;
  /** Monotonic, ms. */
  readonly clock: () => number;
}

/** A server that asks without end would wear a person out until something is accepted. */
const MAX_QUESTIONS = 50;
const REASON_UNITS = 300;

export function createQuestions(options: QuestionOptions): Questions {
  const { elicit, inTurn } = options;
  /** What the calls of one run have in common. */
  const owner = {};
  let asked = 0;

  async function answerTo(
    server: string,
    tool: string | undefined,
    params: unknown,
    signal: AbortSignal,
  ): Promise<CheckedAnswer> {
    if (elicit === undefined) return { action: "decline", problem: "nobody is there to ask" };
    const form = parseForm(params);
    if (typeof form === "string") return { action: "decline", problem: form };
    asked += 1;
    if (asked > MAX_QUESTIONS)
      return { action: "decline", problem: `the run has asked a person ${MAX_QUESTIONS} times already` };
    const request = { runId: options.runId, server, ...(tool !== undefined && { tool }), ...form };
    const late = AbortSignal.timeout(options.timeoutMs);
    const until = AbortSignal.any([signal, late]);
    try {
      return checkAnswer(form.requestedSchema, await inTurn(() => elicit(request, { signal: until }), until));
    } catch (error) {
      if (until.aborted)
        return { action: "cancel", problem: late.aborted ? "nobody answered in time" : "the call ended" };
      const why = String((error as { message?: unknown } | undefined)?.message).slice(0, REASON_UNITS);
      return { action: "cancel", problem: `asking failed: ${why}` };
    }
  }

  return {
    askerFor: (request, { holdWall }) => ({
      owner,
      async ask({ params, certain }, { signal }): Promise<AskerReply> {
        const resume = holdWall();
        const since = options.clock();
        try {
          const { server } = request;
          const tool = certain ? request.tool : undefined;
          const { problem, ...answer } = await answerTo(server, tool, params, signal);
          options.witness.elicited({
            server,
            ...(certain && { seq: request.seq, tool: request.tool }),
            ...answer,
            waitMs: Math.round(options.clock() - since),
            ...(problem !== undefined && { reason: problem }),
          });
          return { ...answer, ...(problem !== undefined && { note: problem }) };
        } finally {
          resume();
        }
      },
    }),
  };
}
