// Owns the result of a run as its caller gets it.
import type { CallReceipt } from "../../contract/call.ts";
import type { EmittedContent } from "../../contract/content.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import type { RunLimits } from "../../contract/limits.ts";
import type { RunError, RunResult, SandboxReport } from "../../contract/result.ts";
import type { NormalisedScript } from "../script/normalise.ts";
import { toRunError } from "./error.ts";
import type { RunEnd } from "./request.ts";
import type { NearestCalls } from "./unknown-tool.ts";

interface Common {
  readonly runId: string;
  readonly sandbox: SandboxReport;
  readonly diagnostics: readonly Diagnostic[];
}

export interface EndedRun extends Common {
  readonly end: RunEnd;
  readonly script: NormalisedScript;
  readonly written: string;
  readonly calls: readonly CallReceipt[];
  readonly nearest: NearestCalls;
  /** Removes secrets from text that leaves the gate. */
  readonly redact: (text: string) => string;
}

export function endedResult(run: EndedRun): RunResult {
  const { end, redact } = run;
  const error = toRunError(end.cause, run.script, run.written, run.nearest);
  const unhandled = end.unhandled.map((message) => unhandledWarning(redact(message)));
  return {
    runId: run.runId,
    status: error === undefined ? "completed" : "failed",
    output: redact(end.output),
    outputTruncated: end.outputTruncated,
    ...(end.content.length > 0 && { content: end.content.map((one) => redactContent(one, redact)) }),
    ...(error !== undefined && { error: redactError(error, redact) }),
    warnings: [...run.diagnostics, ...unhandled],
    calls: run.calls,
    usage: end.usage,
    sandbox: run.sandbox,
  };
}

/** The result of a script that was not run. */
export function refusedResult(
  run: Common & { readonly error: RunError; readonly limits: RunLimits; readonly wallMs: number },
): RunResult {
  const { limits, wallMs } = run;
  const nothing = {
    cpuMs: 0,
    heapMb: 0,
    calls: 0,
    maxCallsInFlight: 0,
    loggedBytes: 0,
    resultBytes: 0,
    timers: 0,
  };
  return {
    runId: run.runId,
    status: "failed",
    output: "",
    outputTruncated: false,
    error: run.error,
    warnings: run.diagnostics.filter(({ severity }) => severity === "warning"),
    calls: [],
    usage: { ...nothing, wallMs, limits },
    sandbox: run.sandbox,
  };
}

/** Security: what the data itself shows cannot be seen here. */
function redactContent(content: EmittedContent, redact: (text: string) => string): EmittedContent {
  const { mimeType, uri, name } = content;
  return {
    ...content,
    mimeType: redact(mimeType),
    ...(uri !== undefined && { uri: redact(uri) }),
    ...(name !== undefined && { name: redact(name) }),
  };
}

function redactError(error: RunError, redact: (text: string) => string): RunError {
  const { message, name, stack, source } = error;
  return {
    ...error,
    message: redact(message),
    ...(name !== undefined && { name: redact(name) }),
    ...(stack !== undefined && { stack: redact(stack) }),
    ...(source !== undefined && { source: redact(source) }),
  };
}

function unhandledWarning(message: string): Diagnostic {
  const text = `A promise was rejected while nothing waited for it: ${message}`;
  return { severity: "warning", code: "UNHANDLED_REJECTION", message: text, line: 1, column: 1, source: "" };
}
