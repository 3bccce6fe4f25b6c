// Promises of the command line.
export const requirements: Readonly<Record<string, string>> = {
  "cli:exit-codes":
    "0 completed, 1 the script failed, 2 bad usage or configuration, 3 waiting for approval, 4 the sandbox is not as required",
  "cli:stdout-pure": "stdout carries what the script logged and nothing else",
  "cli:receipt":
    "stderr tells status, calls by tool, errors, times, sandbox level and the bytes kept out of the model's context",
  "cli:json": "--json prints the whole result as JSON and nothing else on stdout",
  "cli:failure":
    "a failure names code, message, place, source line with a caret, suggestion, and what was already done",
  "cli:config-errors":
    "a configuration that cannot be used is named with file, line and column, path inside and what was expected",
  "cli:config-paths": "paths in a configuration are taken from its own folder",
  "cli:config-prototype": "no key of a configuration reaches a prototype",
  "cli:limits": "limits are validated by name and unit, on the command line and in the configuration",
  "cli:script-sources": "a script is read from a file, standard input or the command line",
  "cli:script-shapes":
    "a byte order mark, CRLF, shebang, code fence, an empty script and one of 5 MB end as a user expects",
  "cli:closed-pipe": "a reader of stdout that has gone away is no crash",
  "cli:lost-output": "output that cannot be written is an error, and the exit code says so",
  "cli:own-words": "no text of a library reaches the user where a value has the wrong shape",
  "cli:lock-file":
    "every configuration has a lock file of its own; one that cannot be used or written is named",
  "cli:slow-start":
    "without a terminal, one line names the servers that are waited for when they start slowly",
  "cli:quiet": "--quiet hides progress and receipt; warnings, notes and errors stay",
  "cli:one-style": "every error is told in one style, wherever it comes from",
  "cli:interrupt": "a signal ends the run, the calls and every child process; a second one ends at once",
  "cli:ask-terminal":
    "on a terminal a call that needs approval is shown with server, tool, arguments, reason and line, and asked about",
  "cli:ask-nobody":
    "without a terminal nothing is asked and the denial names the rule that would allow the call",
  "cli:standing-answers": "--yes approves and --deny refuses every question without asking",
  "cli:visible":
    "no text of a script or server controls the terminal: control and bidirectional characters are shown as escapes",
  "cli:colour": "colours on a terminal only, never with NO_COLOR, always with FORCE_COLOR",
  "cli:live": "progress is one live line on a terminal, and nothing elsewhere",
  "cli:node-version": "an old Node is refused in one line",
  "cli:tools": "tools are listed, searched and shown, with --json the same as data",
  "cli:types": "types prints declarations that a script type-checks against",
  "cli:check": "check tells what the type checker says and runs nothing",
  "cli:doctor": "doctor tells what works, what does not and why, and exits accordingly",
  "cli:init": "init writes a configuration that works, and never overwrites one",
  "cli:init-policy":
    "its policy is in at most 25 lines that explain themselves, the trifecta among them, and passes policy check",
  "cli:policy-files":
    "a policy may be inline, a JSONC or YAML file, or a list of layers; a mistake is placed in its file",
  "cli:policy-layers": "layers after the first, and --policy, only tighten",
  "cli:policy-check": "policy check fails on whatever the policy says in vain, and on what it cannot check",
  "cli:policy-explain":
    "policy explain shows every rule that matched or nearly did, what won, why, and what would allow",
  "cli:policy-test": "policy test holds cases against decisions, and explains each that differs",
  "cli:policy-schema": "policy schema prints the JSON Schema that the package carries",
  "cli:completion": "completion scripts know every command and option",
  "cli:reference": "docs/cli.md is what the definition of the commands says",
  "cli:watch": "--watch runs again when the file changes, until it is ended",
  "cli:broken-server": "a server that does not start is named with its last words, and the others work",
  "cli:together": "two commands at once do not disturb each other",
  "cli:demo": "the licence audit runs two real servers through one script and prints one summary",
};
