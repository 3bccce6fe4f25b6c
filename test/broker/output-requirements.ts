// Owns what the output filter promises: placeholders for values, and known secrets in nothing that leaves.
export const requirements: Readonly<Record<string, string>> = {
  "output:kinds": "values of the configured kinds are found, and ordinary text is left alone",
  "output:never": "no configured value is in what leaves the gate for a model or a person",
  "output:stable":
    "the same value has the same token for as long as the gate keeps it, and no two values share one",
  "output:round-trip": "a token in an argument is the value again before anything judges the call",
  "output:unknown": "a text that only looks like a token stays as it is",
  "output:principal": "a token means nothing to another principal",
  "output:labels": "a value that comes back brings the labels of the run that showed it",
  "output:bounded":
    "tokens are kept within bounds, and texts are searched in time proportional to their length",
  "output:records":
    "the audit log and traces have the same placeholders, and make none of them stand for a value",
  "output:order": "a text is redacted and tokenized before it is cut",
  "output:policy": "the section output is checked, and layers only add to it",
  "output:secrets":
    "secrets of the configuration and credential shapes are in no output, error, question, audit line or log",
};
