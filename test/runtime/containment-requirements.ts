// Owns the promises of the sandbox: what a script and a worker cannot do, and what each end looks like.
export const requirements: Readonly<Record<string, string>> = {
  "contain:hostile-script":
    "whatever a script does, it ends within its limits; the host, the next run and the runs of others are unharmed",
};
