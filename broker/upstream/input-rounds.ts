// Owns what a server of the 2026-07-28 era asks in the middle of a call: its questions, and what the call is repeated with.
import { isJsonObject, own, type JsonObject } from "../../contract/json.ts";
import type { Asker } from "./asker.ts";
import { printable } from "./printable.ts";

/** What the next request of the same call carries besides its name and arguments. */
export interface NextRound {
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

/** A server that never has enough is not asked again. */
export const MAX_ROUNDS = 10;
const MAX_QUESTIONS = 10;

export interface InputRequired {
  readonly requests: ReadonlyMap<string, unknown>;
  readonly requestState: string | undefined;
}

/** Undefined for a result that is complete. */
export function readInputRequired(result: unknown): InputRequired | undefined {
  if (!isJsonObject(result) || own(result, "resultType") !== "input_required") return undefined;
  const requests = own(result, "inputRequests");
  const state = own(result, "requestState");
  return {
    requests: new Map(isJsonObject(requests) ? Object.entries(requests) : []),
    requestState: typeof state === "string" ? state : undefined,
  };
}

/** Asks one after the other. A sentence when the server asks for what is not offered. */
export async function answerRound(
  { requests, requestState }: InputRequired,
  asker: Asker,
  options: { readonly signal: AbortSignal; readonly onNote: (note: string) => void },
): Promise<NextRound | string> {
  if (requests.size > MAX_QUESTIONS)
    return `it asks ${requests.size} questions at once; ${MAX_QUESTIONS} are the most`;
  const questions: [string, JsonObject][] = [];
  for (const [key, request] of requests) {
    const method = isJsonObject(request) ? own(request, "method") : undefined;
    if (method !== "elicitation/create" || key === "__proto__") {
      const named = JSON.stringify(printable(typeof method === "string" ? method : key, 80));
      return `it asks for ${named} in the middle of the call, which is not offered`;
    }
    const params = own(request as JsonObject, "params");
    questions.push([key, isJsonObject(params) ? params : {}]);
  }
  const responses: Record<string, unknown> = {};
  for (const [key, params] of questions) {
    const { note, ...reply } = await asker.ask({ params, certain: true }, { signal: options.signal });
    if (note !== undefined) options.onNote(`it asked a person for input: ${note}`);
    responses[key] = reply;
  }
  return {
    ...(questions.length > 0 && { inputResponses: responses }),
    // Echoed as it came, and never for another call.
    ...(requestState !== undefined && { requestState }),
  };
}
