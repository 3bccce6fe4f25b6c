// Promises about the repository itself: its commands, its shape, and the package it publishes.
export const requirements: Readonly<Record<string, string>> = {
  "repository:bootstrap-installs":
    "a task in a checkout without node_modules first installs what the lock file says, once",
  "repository:bootstrap-stdout": "the standard output of a task carries nothing of the installation",
  "repository:bootstrap-reinstalls":
    "a changed lock file is installed before the next task; an unchanged one is not",
  "repository:bootstrap-adopts": "an installation made by hand from the same lock file is used as it is",
  "repository:bootstrap-together": "two tasks started at once in one checkout install once and both run",
  "repository:bootstrap-stale-lock": "the lock of an installation that died does not block the next one",
  "repository:bootstrap-failure":
    "a failed installation ends with one plain line and leaves the next task free to try again",
  "repository:bootstrap-node-24":
    "a task runs under the Node of node_modules, and an older one than 24 is refused in one line",
  "repository:bootstrap-passes-on":
    "arguments, standard input, exit code and signals pass between the caller and the task",
  "repository:replace-file":
    "a reader of a file that is being replaced sees the old file or the new one, never half",
  "repository:import-rule":
    "stubs, runtime and broker never import each other; faces import index.ts; the guest has no Node",
  "repository:one-isolate-import": "isolated-vm is imported by exactly one file of runtime/worker",
  "repository:no-cycles": "rooms do not import each other in a circle",
  "repository:sizes": "no source file is over 400 lines, and the median is at most 120",
  "repository:first-line": "the first line of each source file says what it owns",
  "repository:authority": "environment, working directory and arguments are read by the command line only",
  "repository:tests-outweigh": "the weight of tests against code never falls below what it once was",
  "repository:requirements-cited": "each promise is cited by a test",
  "repository:errors-documented":
    "each error code has its section in docs/errors.md, and there is no section for anything else",
  "repository:errors-reserved":
    "docs/errors.md says of a code that nothing raises it exactly when nothing does",
  "repository:errors-tested":
    "each error code is cited by a test or is listed with the reason why none cites it yet",
  "repository:no-traces":
    "no file names a folder of the machine it was written on or the host of a package registry",
  "repository:lock-agrees": "package.json and package-lock.json name the same dependencies, all pinned",
  "repository:scripts-exist": "every npm script runs something that is there, and none runs on installing",
  "repository:conformance":
    "a conformance run passes only when every required scenario ran, in time, and passed or is a listed exception that still fails",
  "repository:package-works":
    "the packed tarball, installed in an empty project, gives a working command and library",
  "repository:package-contents":
    "the tarball holds the built library, its types and its documents, and no source or test",
};
