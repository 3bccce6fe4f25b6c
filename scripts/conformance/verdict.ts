// Owns the judgement of a conformance run: every required scenario ran and passed, or its exception is listed and still true.

export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string | undefined;
}

/** What the suite required, and what it wrote down. */
export interface SuiteRun {
  /** Scenarios that the revision requires. */
  readonly required: readonly string[];
  readonly results: ReadonlyMap<string, readonly Check[]>;
  /** stderr of the client, by scenario. */
  readonly said: ReadonlyMap<string, string>;
  readonly log: string;
  /** Exit code of the suite; it fails when a required scenario does, whatever is excepted. */
  readonly code: number;
}

/** Why something that is required is not met: a scenario, or one check of it (`scenario:check`). */
export interface Exception {
  readonly what: string;
  readonly reason: string;
}

export interface Verdict {
  readonly passed: readonly string[];
  /** One sentence each. */
  readonly failures: readonly string[];
  readonly excepted: readonly Exception[];
}

const SAID_UNITS = 4_000;
const TIMED_OUT = /(?:Client|Scenario) timed out after .*/;

export function judge(run: SuiteRun, exceptions: readonly Exception[]): Verdict {
  const reasons = new Map(exceptions.map((exception) => [exception.what, exception]));
  const passed: string[] = [];
  const failures: string[] = [];
  const excepted = new Set<Exception>();
  for (const scenario of run.required) {
    const checks = run.results.get(scenario) ?? [];
    const failed = checks.filter(({ status }) => status === "FAILURE");
    const unexpected = failed.filter(({ id }) => {
      const exception = reasons.get(scenario) ?? reasons.get(`${scenario}:${id}`);
      if (exception !== undefined) excepted.add(exception);
      return exception === undefined;
    });
    const said = run.said.get(scenario)?.trim().slice(0, SAID_UNITS) ?? "";
    for (const { id, errorMessage } of unexpected)
      failures.push([`${scenario}: check ${id} failed`, errorMessage ?? "", said].join("\n").trim());
    // A scenario in which nothing was looked at has shown nothing.
    const looked = checks.some(({ status }) => status === "SUCCESS" || status === "FAILURE");
    if (!looked) failures.push(`${scenario}: it did not run, or checked nothing`);
    else if (failed.length === 0) passed.push(scenario);
  }
  for (const exception of exceptions) {
    if (!excepted.has(exception))
      failures.push(
        `${exception.what}: it is listed as an exception and does not fail; take it off the list`,
      );
  }
  const late = TIMED_OUT.exec(run.log)?.[0];
  if (late !== undefined) failures.push(`the run proves nothing: ${late}`);
  if (run.code !== 0 && failures.length === 0 && excepted.size === 0)
    failures.push(`the suite ended with exit code ${run.code}, for a reason not found in its results`);
  return { passed, failures, excepted: [...excepted] };
}
