// Owns what is said about a script that the checker could not finish.
import type { CompileRequest, CompileResult } from "../../contract/compile.ts";
import { toDiagnostics } from "./finding.ts";

/** `timeout` and `memory`: too much work; `nesting`: too deep to parse; `fault`: TypeScript itself failed. */
export type StopReason = "timeout" | "memory" | "nesting" | "fault";

/** The answer to a script whose check was stopped: an error, or a warning where types only advise. Pure. */
export function stoppedResult(
  request: CompileRequest,
  reason: StopReason,
  timeoutMs: number,
  detail?: string,
): CompileResult {
  const parsedOnly = request.check === "off";
  const what = parsedOnly ? "Reading the script" : "The type check";
  const why: Readonly<Record<StopReason, string>> = {
    timeout: `took longer than ${timeoutMs} ms and was stopped`,
    memory: "needed too much memory and was stopped",
    nesting: "was stopped: expressions or blocks are nested too deeply",
    fault: `failed in TypeScript itself${detail === undefined ? "" : ` (${detail})`}`,
  };
  return {
    diagnostics: toDiagnostics(request.script, [
      {
        severity: request.check === "warn" ? "warning" : "error",
        code: parsedOnly ? "SCRIPT_SYNTAX" : "SCRIPT_TYPE",
        message: `${what} ${why[reason]}.`,
        offset: 0,
        suggestion: parsedOnly
          ? "Write a shorter and flatter script."
          : 'Simplify the types (no recursive or very large ones), or run it with `check: "off"`.',
      },
    ]),
  };
}
