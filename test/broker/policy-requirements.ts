// Owns what policy, budgets, validation and redaction promise.
export const requirements: Readonly<Record<string, string>> = {
  "policy:parse":
    "a policy that cannot be used says which layer, which place in it and what was expected there",
  "policy:refused": "a section that this version cannot honour is refused, never ignored",
  "policy:defaults":
    "without a rule, trust and annotations choose the default; what is not trusted is asked about",
  "policy:strictest": "of everything that holds, the strictest wins, whatever the order",
  "policy:layers": "a later layer only tightens",
  "policy:patterns":
    "patterns match the pair of server name and raw tool name, and never more than was written",
  "policy:matchers": "doubt, a wrong type and an absent argument never permit, and never escape a deny",
  "policy:canonical": "no other spelling of a value gets past a rule",
  "policy:literal": "an argument is literal only when every part of it is a constant of the script",
  "policy:flows": "labels of everything read so far are held against what a call can reach",
  "policy:explain": "every decision can be explained: what held, what nearly did, and what won",
  "policy:check": "what a policy says in vain is found: unknown names, and rules that can never win",
  "policy:linear": "a pattern of the policy takes time in proportion to the text, whoever wrote the text",
  "budget:atomic": "parallel reservations never exceed a budget by one",
  "budget:bounds":
    "calls, rate, cost, result bytes, calls at one time, wall time and identical calls are bounded",
  "budget:grant": "an approval that names a budget lets one call pass it, and never a budget that denies",
  "validate:arguments": "arguments are checked by the tool's own schema, with messages a model can act on",
  "validate:json": "argument text means the same to every reader, or is refused",
  "validate:bounded": "no schema and no value makes validation run away or throw",
  "redact:secrets": "known secrets are hidden in every form they travel in",
  "redact:shapes": "texts shaped like credentials are hidden, and ordinary text is not",
  "redact:linear": "redaction takes time in proportion to the text",
};
