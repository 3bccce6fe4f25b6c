// Owns the port through which a client's person is asked, and what of a run goes through it.
import type { RunOptions } from "../index.ts";
import { approvalQuestion } from "./approval-form.ts";
import { elicitationAnswer, elicitationForm } from "./elicitation-form.ts";

/** The parameters of a form-mode `elicitation/create`. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: object;
    readonly required: readonly string[];
  };
}

export interface Question {
  /** What it is about, as a client may show it. */
  readonly key: "approval" | "elicitation";
  readonly form: Form;
}

/** Resolves to what the client sent: untrusted, undefined for nothing. */
export type Put = (question: Question, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** Approvals of the policy and questions of upstream servers, both to the client that started the run. */
export function askThrough(put: Put): Required<Pick<RunOptions, "approve" | "elicit">> {
  return {
    approve: async (request, options) => {
      const { form, answer } = approvalQuestion(request);
      return answer(await put({ key: "approval", form }, options));
    },
    elicit: async (request, options) =>
      elicitationAnswer(await put({ key: "elicitation", form: elicitationForm(request) }, options)),
  };
}
