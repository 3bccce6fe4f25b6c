// Owns what approvals, grants, literals and dry runs promise.
export const requirements: Readonly<Record<string, string>> = {
  "approval:literals":
    "constants of a script are found by value, bounded, and nothing computed is one of them",
  "approval:exfiltration":
    "private data is not sent outside unless a person approved it, told of both ends, or the recipient is a constant of a script that is trusted",
  "approval:request":
    "a request says what was done so far, where in the script the call stands, and which results brought the labels in play",
  "approval:set":
    "calls that ask in the same turn are one question, and an answer approves exactly the calls it names",
  "approval:prompt":
    "the terminal lists every call of a set, made visible, before any of them can be allowed, and allows what was selected",
  "approval:simple": "an approver that knows no sets is asked about every call by itself",
  "approval:refused": "whatever is no clear yes is a no, and its reason reaches the script",
  "approval:stale":
    "after an answer the call is decided again, and its tool must still be the one that was asked about",
  "approval:grants":
    "a grant answers the asks of its tool, rules, pattern, time and principal, and nothing else",
  "approval:deny": "no grant and no approval overrides a deny",
  "approval:invalid": "arguments that fail validation never reach a person",
  "dry-run:reads": "a dry run makes calls that the policy knows to be read-only and allows, and no others",
  "dry-run:plan":
    "every call that a dry run did not make is in its result with its arguments, bounded and redacted",
  "dry-run:value": "a planned call resolves to a placeholder in the shape of its outputSchema",
  "dry-run:command": "callgate run --dry-run prints every call that would be made, and what it cannot know",
};
