// Owns what the audit log, pins and telemetry promise.
export const requirements: Readonly<Record<string, string>> = {
  "audit:complete":
    "every decision, approval and outcome of every call, and both ends of every run, is in the log",
  "audit:before": "a call is in the log before the tool hears of it",
  "audit:closed": "what cannot be recorded is not done",
  "audit:chain": "a changed, missing, added or reordered line is found, and the first one is named",
  "audit:head": "lines cut off the end are found when a head from before is given",
  "audit:restart": "a log goes on after a restart, and after a crash in the middle of a line, provably",
  "audit:shared": "gates and processes that share a file make one unbroken chain",
  "audit:append": "a file is made for its owner alone, and only appended to",
  "audit:bodies": "as much of arguments and results is kept as was asked for",
  "audit:secrets": "no known secret is in the log, whoever says it",
  "audit:options": "an audit option that cannot be used is refused before anything starts",
  "audit:memory": "a log of any length is verified in the memory of one line",
  "audit:command": "the command line verifies and shows a log",
  "pins:quarantine":
    "a tool whose definition is not the accepted one is listed as accepted, and never called",
  "pins:first-use":
    "tools are pinned on first use, later ones of a known server are pinned and noted, none is forgotten",
  "pins:file":
    "the lock file is stable, readable, holds nothing invisible, and is never taken for a first use when broken",
  "pins:accept": "a change is accepted as it was shown, and not otherwise",
  "pins:local": "functions of the host itself are not pinned",
  "pins:diff": "a difference hides nothing: no invisible character, no cut line, a bound that is told",
  "pins:command":
    "callgate trust shows what would be accepted, asks, and accepts nothing unasked without --yes",
  "telemetry:spans":
    "run, check, call and approval are spans below the host's own, with the conventional names",
  "telemetry:propagation":
    "the trace context of a call, and nothing else, goes to its server in _meta; nothing when nothing is traced",
  "telemetry:private": "arguments and results are in spans only when asked for, redacted",
  "telemetry:errors": "a span of what failed says how, by code",
};
