// Promises that answer what users of other runtimes reported.
export const requirements: Readonly<Record<string, string>> = {
  "field:error-is-error": "what fails is a failure, never data in a success",
  "field:error-kinds": "the kind of a failure comes from what happened, never from the text of a message",
  "field:tool-message": "the words of a tool that failed reach the script",
  "field:settled": "what a script leaves to be settled is settled before the run ends",
  "field:cut-output": "a cut output cannot be taken for a whole one",
  "field:returned-value": "no run gives a blank answer",
  "field:safe-rerun": "a failed run says whether it may be run again",
  "field:arguments": "arguments arrive as they were written, or are refused by their path",
  "field:big-values": "values inside a script are bounded in bytes only, far above what a model could read",
};
