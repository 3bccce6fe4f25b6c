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
  "contain:moves":
    "a run whose worker dies for another's sake goes on in another worker, and no call is made twice",
  "contain:guilt": "when a worker dies, only the run that caused it fails",
  "replay:same": "a run repeated from its record gives the same output and error, and makes no call",
  "replay:diverged":
    "a record that is not the run's own is noticed or gives another end; it never makes a call",
  "replay:bounds": "records are kept whole or not at all, within a bound",
  "sandbox:report":
    "the sandbox report says what is achieved on this machine, and in a sentence why not more",
  "sandbox:require": "sandbox.require fails closed with WORKER_START_FAILED",
  "sandbox:inside": "a worker has no files, no processes, no environment, no permissions and no compiler",
  "sandbox:start":
    "a worker that cannot be started fails its run with WORKER_START_FAILED and harms nothing else",
  "sandbox:network": "where the report says so, a worker has no network",
  "pool:reuse":
    "a worker serves many clean runs of one principal, in a fresh isolate each, and is then retired",
  "pool:principals":
    "workers are never shared between principals, and no principal can keep another from its turn",
  "pool:isolation": "sandbox.isolation: process gives each run a process of its own",
  "pool:queue": "the queue has a bound, and says so when it is full",
  "pool:many": "hundreds of runs may be asked for at once",
  "pool:abort": "a run can be aborted at any time, and the next one works",
  "pool:dispose": "closing a gate ends everything and leaves no process",
  "pool:memory": "a worker's memory stays flat over its runs",
  "errors:pending": "a run that ends with calls under way fails and names them",
  "errors:unhandled": "rejections that nobody waits for are reported, and stop nothing",
  "errors:denied": "a refusal before the first await is like any other failed call, and harms nothing",
  "errors:positions":
    "errors and receipts name lines and columns of the script as written, and frames of the script only",
  "limits:wall":
    "wallMs ends a run wherever it is; the clock is the broker's, and stands still while a person is asked",
  "limits:cpu": "cpuMs bounds what a run computes; waiting costs nothing",
  "limits:memory": "memoryMb bounds what a run keeps, on the heap and beside it",
  "limits:calls": "calls bounds the calls of a run",
  "limits:in-flight": "callsInFlight bounds calls at one time; more wait, none fail",
  "limits:call-timeout": "callTimeoutMs bounds one call",
  "limits:arguments": "argumentBytes bounds the arguments of one call",
  "limits:result": "resultBytes bounds the result of one call",
  "limits:output": "outputBytes bounds the output returned: its middle is cut, and it says so",
  "limits:log": "logBytes bounds what a run logs in total",
  "limits:script": "scriptBytes bounds a script's source",
  "limits:timers": "timers bounds the timers a run starts",
  "limits:reported": "every limit has a default, can be set per gate and per run, and is reported",
  "limits:invalid": "a limit that does not exist or is no whole number in range is refused by name",
};
