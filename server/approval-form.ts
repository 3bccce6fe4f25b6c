// Owns the question a client's person is asked about one call, and how the answer is read.
import type { ApprovalAnswer, ApprovalRequest } from "../index.ts";
import { visible, visibleLine } from "./visible.ts";

const ONCE = "allow once";
const RUN = "allow for this run";
const DENY = "deny";
const REASON_UNITS = 400;

/** The parameters of a form-mode `elicitation/create`. */
export interface ApprovalForm {
  readonly message: string;
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

/** No answer is preselected: a form sent as it is must not allow anything. */
export function approvalForm(request: ApprovalRequest): ApprovalForm {
  return {
    message: message(request),
    requestedSchema: {
      type: "object",
      properties: {
        answer: { type: "string", title: "Allow this call?", enum: [ONCE, RUN, DENY] },
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

function message(request: ApprovalRequest): string {
  const { server, tool, arguments: given, reason, line, calls } = request;
  const shown = typeof given === "string" ? given : JSON.stringify(given, null, 2);
  const where = line === undefined ? "" : `, line ${line} of the script`;
  return [
    `May ${visibleLine(tool, 128)} of server ${visibleLine(server, 128)} be called? (Call ${request.seq} of the run${where}.)`,
    `Arguments:\n${visible(shown)}`,
    `Why you are asked: ${visibleLine(reason, 400)}`,
    `Calls of this run so far: ${calls.length}.`,
  ].join("\n");
}

/** Security: only an accepted form that says so allows; everything else is a refusal. */
export function approvalAnswer(response: unknown): ApprovalAnswer {
  const { action, content } = record(response);
  if (action === "decline") return { decision: "deny", reason: "the person declined" };
  if (action !== "accept")
    return { decision: "deny", reason: "the question was dismissed without an answer" };
  const { answer, reason } = record(content);
  if (answer === ONCE) return { decision: "allow", scope: "once" };
  if (answer === RUN) return { decision: "allow", scope: "run" };
  const said = typeof reason === "string" ? visibleLine(reason.trim(), REASON_UNITS) : "";
  return { decision: "deny", reason: said === "" ? "the person denied it" : said };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
