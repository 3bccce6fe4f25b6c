// Owns the receipt of a run: status, calls by tool, errors, times, sandbox, what stayed out of the model's context.
import type { RunResult } from "../index.ts";
import { callTable } from "./call-table.ts";
import { bytes, counted, duration } from "./text/amount.ts";
import { bold, dim, green, red, yellow, type Text } from "./text/styled.ts";

const STATUS: Readonly<Record<RunResult["status"], Text>> = {
  completed: green("completed"),
  failed: red("failed"),
  paused: yellow("waiting for approval"),
};

/** Bytes of results that the model never had to read; never negative. */
export function bytesKeptOut({ usage }: Pick<RunResult, "usage">): number {
  return Math.max(0, usage.resultBytes - usage.loggedBytes);
}

/** Lines for stderr. */
export function receipt(result: RunResult): readonly Text[] {
  const { calls, usage, sandbox } = result;
  const errors = calls.filter(({ status }) => status !== "ok" && status !== "planned").length;
  const why = sandbox.missing.length > 0 ? dim(" (why: callgate doctor)") : "";
  return [
    [
      bold(STATUS[result.status]),
      ` in ${duration(usage.wallMs)}, cpu ${duration(usage.cpuMs)}, ${counted(calls.length, "call")}, `,
      counted(errors, "error"),
    ],
    ...callTable(calls),
    [dim("  sandbox: "), sandbox.level, why],
    [
      dim("  context: "),
      `${bytes(bytesKeptOut(result))} stayed out of the model's context, ${bytes(usage.loggedBytes)} logged`,
      result.outputTruncated ? yellow(" (output truncated)") : "",
    ],
  ];
}
