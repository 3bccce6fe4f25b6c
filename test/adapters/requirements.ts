// Promises of the adapters for agent frameworks.
export const requirements: Readonly<Record<string, string>> = {
  "adapters:loop":
    "in the framework's own loop a model finds a tool, sends a wrong script, reads what is wrong, repairs it and succeeds",
  "adapters:error": "a failed run is an error in the framework's own convention, and the loop goes on",
  "adapters:abort": "the framework's abort signal ends the run and the calls of it",
  "adapters:approval":
    "a call that needs approval is put to the adapter's `approve`, with the adapter's principal",
  "adapters:malformed":
    "an unknown tool, arguments that are no JSON and arguments of a wrong shape are told to the model, never thrown",
  "adapters:parallel": "tool calls of one turn run at the same time and are answered in their order",
  "adapters:images": "images that a script emits are shown to the model, other content is named in the text",
  "adapters:others": "in a loop written by hand, calls of the host's own tools go to the host",
  "adapters:cache": "definitions have the same bytes every time, and take the provider's cache breakpoint",
  "adapters:deferred":
    "each tool is one the provider's tool search can defer, under names and schemas it accepts, and is called through the gate",
  "adapters:docs": "the programs of docs/adapters.md type-check against the package",
  "adapters:peers": "a framework is an optional peer, asked for by its own adapter only",
  "adapters:options": "labels and progress pass between the conversation and its runs",
  "adapters:choice": "the tools are those asked for, and a name that is none is refused",
};
