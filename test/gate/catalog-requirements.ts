// Promises about the memory of tool lists, and about servers that come and go while a gate is open.
export const requirements: Readonly<Record<string, string>> = {
  "lazy:no-start": "with a kept list a gate opens, knows the tools, and starts no server",
  "lazy:first-call": "a run starts only the servers whose tools it calls",
  "lazy:negotiated": "a server of the newer era is called without being asked for its era or its list again",
  "lazy:era-fallback": "a server that speaks another era than was remembered is asked anew, and works",
  "lazy:ttl":
    "a list whose time is over is read again before a script that mentions its server, and only then",
  "lazy:list-changed": "a list that its server calls changed is not used by the next process",
  "lazy:gone": "a call of a tool that is gone from its server says so",
  "lazy:quarantine": "a tool that changed behind a kept list is quarantined before anything is sent",
  "lazy:contexts": "a list is never used under another configuration or for other credentials",
  "lazy:outage": "an outage never loses a kept list",
  "lazy:refresh": "a refresh asks every server, whatever is kept",
  "lazy:cli": "commands know the tools of an earlier one, unless they are told not to",
  "lazy:hostile-files": "a kept list that is not ours, or not whole, counts as none and is replaced",
  "lazy:shared": "gates and processes share one folder of lists",
  "lazy:bounded": "the folder of lists is bounded; the oldest go first, and what is not ours stays",
  "live:add": "a server can be added to an open gate, and its tools called by the next run",
  "live:remove":
    "a server is removed at the boundary that the caller names: before it nothing changes, after it calls say why they fail",
  "live:names": "the namespace of a server that is gone is never given to another one",
  "live:secrets": "secrets of an added server are redacted",
};
