// Owns the promises of the guest's globals.
export const requirements: Readonly<Record<string, string>> = {
  "guest:inspect": "logged values are printed readably, much as Node prints them",
  "guest:inspect-bounds":
    "a printed value is bounded in depth, entries, length of strings and total, whatever its size",
  "guest:inspect-inert": "printing a value runs no code of the script: no getter, trap, toString or iterator",
  "guest:console": "every console method that people use writes what they expect",
  "guest:clock": "time moves only with deliveries: Date, performance and Intl all tell the run's time",
  "guest:random": "Math.random, crypto.randomUUID and crypto.getRandomValues are pure functions of the seed",
  "guest:timers": "timers, sleep and queueMicrotask work as in a browser, within a limit",
  "guest:unhandled":
    "what a timer, a microtask or a listener throws is reported as unhandled, and stops nothing else",
  "guest:web": "URL, text codecs, base64 and structuredClone behave as the standards say",
  "guest:abort": "AbortController, AbortSignal and EventTarget behave as the standards say",
  "guest:intl": "Intl is complete, its default locale is en-US, its default zone is the run's",
  "guest:absent": "globals that could harm or that are not deterministic are absent, and typeof says so",
  "guest:sealed":
    "nothing of the bootstrap can be reached from a script: by stacks, callers, constructors or globals",
  "guest:robust": "a script that replaces intrinsics cannot change or break console, timers and the clock",
  "guest:lazy": "a global made at first use is then like any other, and leaves no trace on the rest",
};
