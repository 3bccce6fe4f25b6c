// Owns the promises of the public surface as a whole.
export const requirements: Readonly<Record<string, string>> = {
  "gate:options":
    "an option that does not exist or is not of its kind is refused with its name, never ignored",
  "gate:unknown-tool": "a call of a tool that does not exist says so and names the nearest",
  "gate:unavailable": "a script that names a server which did not start is told why",
  "gate:policy-notes": "a name in the policy that nothing has is told unasked",
  "gate:exit": "neither an idle gate nor a waiting run decides wrongly when a process ends",
  "gate:listener": "a listener that throws does not end a run",
  "gate:usage": "what a run spent is known however it ended",
  "gate:no-call": "a script that does not type-check makes no call",
  "gate:tool-principal": "a local tool is told whose run calls it",
  "gate:denied": "a denied call can be caught by the script",
  "gate:meta-tools": "a model can discover, write, fail, repair and succeed with three tools",
  "gate:instructions": "what a model is told of scripts is short, and changes only on purpose",
  "gate:readme": "the example of the README works as printed",
  "gate:slow-server": "a server that never answers does not keep a gate from opening",
  "gate:tools-changed": "a tool added by a server while a gate is open can be called by the next run",
  "gate:library-page": "everything that the library offers is on one page",
};
