// Owns the promises of the sandbox: what a script and a worker cannot do, and what each end looks like.
export const requirements: Readonly<Record<string, string>> = {
  "contain:hostile-script":
    "whatever a script does, it ends within its limits; the host, the next run and the runs of others are unharmed",
  "contain:hostile-worker":
    "a worker that does not keep the protocol is killed, its run has a typed end, no other run is disturbed",
  "contain:frames": "a frame too large, not JSON or not of the agreed shape is an attack",
  "contain:back-pressure": "neither a script nor a worker can make anything pile up in the broker",
  "contain:no-host-text":
    "nothing of the machine reaches a script, an output, an error or a receipt: no path, variable, header or secret",
  "limits:wall":
    "wallMs ends a run wherever it is; the clock is the broker's, and stands still while a person is asked",
};
