// Owns the question a client's person is asked about calls, and how the answer is read.
import type { ApprovalAnswer, ApprovalRequest } from "../index.ts";
import { callText, setText } from "./approval-text.ts";
import type { Form } from "./put.ts";
import { visibleLine } from "./visible.ts";

const ONCE = "allow once";
const RUN = "allow for this run";
const DENY = "deny";
const THESE_ONCE = "allow these calls once";
const THESE_RUN = "allow these tools for this run";
const FIRST = "allow the first call once, ask about the others";
const DENY_ALL = "deny all";
const REASON_UNITS = 400;

export interface ApprovalForm extends Form {
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: {
      readonly answer: { readonly type: "string"; readonly title: string; readonly enum: string[] };
      readonly reason: {
        readonly type: "string";
        readonly title: string;
        readonly description: string;
        readonly maxLength: number;
      };
    };
    readonly required: string[];
  };
}

export interface ApprovalQuestion {
  readonly form: ApprovalForm;
  /** Reads what the client sent back. Security: only an accepted form that says so allows; everything else refuses. */
  answer(response: unknown): ApprovalAnswer;
}

export function approvalQuestion(request: ApprovalRequest): ApprovalQuestion {
  return request.set === undefined ? aboutCall(request) : aboutSet(request, request.set);
}

function aboutCall(request: ApprovalRequest): ApprovalQuestion {
  return {
    form: form(callText(request), "Allow this call?", [ONCE, RUN, DENY]),
    answer: (response) =>
      read(response, (chosen) => {
        if (chosen === ONCE) return { decision: "allow", scope: "once" };
        if (chosen === RUN) return { decision: "allow", scope: "run" };
        return undefined;
      }),
  };
}

function aboutSet(request: ApprovalRequest, set: NonNullable<ApprovalRequest["set"]>): ApprovalQuestion {
  const { text, shown } = setText(set, request.calls);
  // Security: what the person was not shown is not allowed; it is asked about in the next question.
  const about = set.slice(0, shown).map(({ seq }) => seq);
  return {
    form: form(text, "Allow these calls?", [THESE_ONCE, THESE_RUN, FIRST, DENY_ALL]),
    answer(response) {
      const answer = read(response, (chosen) => {
        if (chosen === THESE_ONCE) return { decision: "allow", scope: "once", about, others: "ask" };
        if (chosen === THESE_RUN) return { decision: "allow", scope: "run", about, others: "ask" };
        if (chosen === FIRST) return { decision: "allow", scope: "once" };
        return undefined;
      });
      return answer.decision === "allow" ? answer : { ...answer, about: "all" };
    },
  };
}

/** No answer is preselected: a form sent as it is must not allow anything. */
function form(message: string, title: string, answers: string[]): ApprovalForm {
  return {
    message,
    requestedSchema: {
      type: "object",
      properties: {
        answer: { type: "string", title, enum: answers },
        reason: {
          type: "string",
          title: "Reason",
          description: "When denied, told to the model",
          maxLength: REASON_UNITS,
        },
      },
      required: ["answer"],
    },
  };
}

function read(response: unknown, allowed: (chosen: unknown) => ApprovalAnswer | undefined): ApprovalAnswer {
  const { action, content } = record(response);
  if (action === "decline") return { decision: "deny", reason: "the person declined" };
  if (action !== "accept")
    return { decision: "deny", reason: "the question was dismissed without an answer" };
  const { answer, reason } = record(content);
  const given = allowed(answer);
  if (given !== undefined) return given;
  const said = typeof reason === "string" ? visibleLine(reason.trim(), REASON_UNITS) : "";
  return { decision: "deny", reason: said === "" ? "the person denied it" : said };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
