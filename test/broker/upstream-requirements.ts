// Promises about upstreams: MCP servers of every kind, and local functions.
export const requirements: Readonly<Record<string, string>> = {
  "upstream:lazy": "no server is started before its tools are listed or one of them is called",
  "upstream:one-start": "however many ask at once, a server is started once",
  "upstream:eras": "servers of the older and the newer protocol era work over stdio, Streamable HTTP and SSE",
  "upstream:era-probe":
    "a server that dies of the question for its era, or never answers it, works all the same",
  "upstream:era-remembered": "the era of a server is asked for once in a process",
  "upstream:list-pages":
    "all pages of a tool list are read, whatever the cursors, and a walk that repeats ends",
  "upstream:list-faulty":
    "one faulty tool costs at most itself, never the list, and is named in the status of its server",
  "upstream:list-lies": "an annotation or schema of the wrong kind never makes a tool more trusted than none",
  "upstream:list-cached": "a tool list is read once and again only after the server says that it changed",
  "upstream:list-outage": "an outage never loses the tool list: the last known one is served, marked as old",
  "upstream:result-kept": "a done call's result reaches the caller, however the server wrote it",
  "upstream:is-error": "a result with isError is returned, with its content and structured content",
  "upstream:value": "what a script gets from a result follows one rule, and never fails",
  "upstream:unknown-tool": "a tool that is gone answers with a tool error, and the list is read again",
  "upstream:timeout": "a call without an answer ends at its limit, and the server is told",
  "upstream:progress": "progress is passed on and extends the limit of a call, up to ten times the limit",
  "upstream:cancel": "a cancelled call ends at once, the server is told and kept, and the next call works",
  "upstream:sent": "a failed call says whether its request may have arrived",
  "upstream:death": "the death of a server fails the calls in flight at once, with its last words on stderr",
  "upstream:restart": "a server that died is started again by the next call",
  "upstream:backoff": "a server that cannot start, or keeps dying, is not started in a tight loop",
  "upstream:no-process-left": "after disposing no process of a server is left, nor what it started itself",
  "upstream:stderr-bounded": "any amount of stderr is read, and a bounded end of it kept",
  "upstream:stdout-noise": "text on stdout that is no message is skipped and noted",
  "upstream:oversize": "an answer beyond the size limit fails its call and nothing else",
  "upstream:environment": "a server gets a minimal environment and what its configuration adds, nothing more",
  "upstream:meta": "nothing a script writes reaches the metadata of a request",
  "upstream:concurrency": "a server works on a bounded number of calls; more wait, and too many fail at once",
  "upstream:session": "a lost HTTP session is opened again and the refused request sent once more",
  "upstream:http-broken": "a response that breaks off, redirects or refuses fails its call with the reason",
  "upstream:rate-limit":
    "a server gets no more calls in a time than its configuration says; what cannot leave in time fails at once",
  "upstream:rate": "a server that asks to be left alone for a moment is asked again after it",
  "upstream:messages":
    "messages name the server, are one bounded line, and hold no secret of the configuration",
  "upstream:config-shape":
    "a configuration entry is read as hosts write it; a wrong one is named by its path",
  "upstream:env-file":
    "variables of an envFile reach the server, below those of env; a file that cannot be used fails its server alone",
  "upstream:config-variables": "variables are expanded in one pass; an unset one fails its server alone",
  "upstream:local": "a local function is an upstream like any other, with types and schemas from zod",
  "upstream:local-error": "what a local function throws is a failed result with its message and nothing else",
  "upstream:local-copy": "a script gets a copy of what a local function returns, own __proto__ keys included",
  "upstream:killed-any-time":
    "a server killed at any moment costs no other server a call, hangs no run and leaves no process",
};
