// Promises about questions that servers put to a person in the middle of a call.
export const requirements: Readonly<Record<string, string>> = {
  "elicitation:passed-on":
    "a server's question reaches the person who runs the script, and the answer the server",
  "elicitation:declared": "servers are told that a person may be asked exactly when the gate can ask one",
  "elicitation:right-person":
    "a question is put to the run whose call it belongs to; where that cannot be told it is declined and noted",
  "elicitation:form":
    "only flat forms with showable texts are asked; everything a person is shown is bounded and visible",
  "elicitation:checked":
    "an answer that does not fit its form is never sent; defaults stand where a field was left",
  "elicitation:bounded": "a server that asks without end is stopped",
  "elicitation:time":
    "while a person answers, neither the limit of the call nor the wall limit of the run goes on",
  "elicitation:audit": "each question leaves an audit entry with its outcome; its content only with bodies",
  "elicitation:nobody": "with nobody to ask, and in a dry run, a question is declined",
  "elicitation:terminal":
    "at a terminal a person is told who asks, answers field by field, and sees the answers before they are sent",
  "elicitation:served":
    "Callgate as a server passes a question on to the client that started the run, naming the server",
  "elicitation:turns": "a person is asked one thing at a time, whether by a server or by the policy",
  "progress:upstream": "progress that a server reports reaches who runs the script, bounded and visible",
};
