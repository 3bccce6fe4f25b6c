// Owns the exit codes: what each end of a command means to a shell.
import { CallgateError, type RunResult } from "../index.ts";
import { UsageError } from "./usage-error.ts";

export const EXIT = { completed: 0, failed: 1, usage: 2, approval: 3, sandbox: 4 } as const;

/** The meaning of each code, for help and documentation. */
export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "completed"],
  ["1", "the script failed, or `check` found errors"],
  ["2", "bad usage or configuration; nothing ran"],
  ["3", "waiting for approval: the run failed on a call that needs one, and there was nobody to ask"],
  ["4", "the sandbox could not be set up as required"],
  ["130, 143, 129", "ended by SIGINT (Ctrl-C), SIGTERM, SIGHUP"],
];

/** `asked`: whether calls that need approval were put to somebody (a person, --yes or --deny). */
export function exitCodeOf(result: RunResult, asked: boolean): number {
  if (result.status === "completed") return EXIT.completed;
  if (result.status === "paused") return EXIT.approval;
  if (result.error?.code === "WORKER_START_FAILED") return EXIT.sandbox;
  return !asked && neededApproval(result) ? EXIT.approval : EXIT.failed;
}

/** The call that ended the run needed approval, and there was nobody to ask. */
function neededApproval({ error, calls }: RunResult): boolean {
  return calls.some(
    ({ approval, server, tool, code }) =>
      approval === "nobody" && code === error?.code && server === error?.server && tool === error?.tool,
  );
}

/** The code for what a command threw. */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!CallgateError.is(error)) return EXIT.failed;
  if (error.code.startsWith("CONFIG_")) return EXIT.usage;
  return error.code === "WORKER_START_FAILED" ? EXIT.sandbox : EXIT.failed;
}
