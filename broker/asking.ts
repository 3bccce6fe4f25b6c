// Owns how one call is put to a person, and what its answer means to the script.
import type { CallError, CallReceipt, CallRequest } from "../contract/call.ts";
import type { ApprovalResult, Asking } from "./approval.ts";
import type { DispatchContext, DispatchOptions } from "./call-context.ts";
import type { CallFacts } from "./policy/decide.ts";
import { callError, callName } from "./refusal.ts";
import { shownArguments } from "./shown-arguments.ts";
import type { CallWitness } from "./witness.ts";

export interface NotApproved {
  readonly error: CallError;
  readonly approval: NonNullable<CallReceipt["approval"]>;
}

interface Question {
  readonly reason: string;
  readonly rules: readonly string[];
}

const SOURCE_UNITS = 300;

/** Undefined when the call is approved. The wall clock of the run stands still meanwhile. */
export async function ask(
  request: CallRequest,
  facts: CallFacts,
  question: Question,
  context: DispatchContext,
  { signal, holdWall, rest }: DispatchOptions,
  witness: CallWitness,
): Promise<NotApproved | undefined> {
  const resume = holdWall();
  try {
    const asking = askingOf(request, facts, question, context);
    const answer = await witness.asked(question.rules, () => context.approvals.ask(asking, { signal, rest }));
    return notApproved(answer, request, question.reason);
  } finally {
    resume();
  }
}

function askingOf(
  { seq, server, tool, line }: CallRequest,
  facts: CallFacts,
  { reason, rules }: Question,
  context: DispatchContext,
): Asking {
  const { redactor, policy } = context;
  // Security: cut after it is redacted, or half a secret is found by nobody.
  const source = line === undefined ? undefined : context.sourceLine(line);
  const flows = policy.flows.filter(({ id }) => rules.includes(id));
  const labels = new Set(flows.flatMap(({ from }) => from));
  return {
    facts,
    rules,
    sources: flows.length === 0 ? undefined : context.origins.sources(labels),
    call: {
      seq,
      server,
      tool,
      arguments: shownArguments(facts.shown ?? facts.arguments, redactor),
      reason,
      rules,
      ...(line !== undefined && { line }),
      ...(source !== undefined && { source: redactor.redact(source).slice(0, SOURCE_UNITS) }),
      ...(flows.length > 0 && { labels: context.origins.inPlay(labels) }),
    },
  };
}

function notApproved(answer: ApprovalResult, request: CallRequest, reason: string): NotApproved | undefined {
  const name = callName(request);
  switch (answer.type) {
    case "granted":
      return undefined;
    case "rejected": {
      const because = answer.reason === undefined ? "" : `: ${answer.reason}`;
      const text = `${name} was not approved${because}.`;
      return { approval: answer.type, error: callError("CALL_APPROVAL_REJECTED", request, text) };
    }
    case "expired": {
      const text = `Nobody approved ${name} in time.`;
      return { approval: answer.type, error: callError("CALL_APPROVAL_EXPIRED", request, text) };
    }
    case "nobody": {
      const text = `${name} needs approval (${reason}), and there is nobody to ask.`;
      return { approval: answer.type, error: callError("CALL_DENIED", request, text) };
    }
  }
}
