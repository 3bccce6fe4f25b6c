// Owns the way from a script as written to runnable code, or to the reason why it is not run.
import type { CheckMode, CompileRequest, CompileResult } from "../../contract/compile.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { CallgateError, type ErrorCode } from "../../contract/error.ts";
import { byteLength } from "../../contract/json.ts";
import type { RunError } from "../../contract/result.ts";
import { normaliseScript, type NormalisedScript } from "./normalise.ts";

export interface PrepareOptions {
  readonly check: CheckMode;
  readonly scriptBytes: number;
  readonly compile: (request: CompileRequest) => Promise<CompileResult>;
}

/** `code` and `script`, or `error`; diagnostics are in positions of the script as written. */
export type Prepared =
  | {
      readonly code: string;
      readonly script: NormalisedScript;
      readonly constants: NonNullable<CompileResult["constants"]>;
      readonly diagnostics: readonly Diagnostic[];
      readonly error?: undefined;
    }
  | { readonly code?: undefined; readonly diagnostics: readonly Diagnostic[]; readonly error: RunError };

/** Never throws for what is wrong with the script, nor for an end of the checker. */
export async function prepareScript(written: string, options: PrepareOptions): Promise<Prepared> {
  // Security: the size is checked before anything reads the text.
  const bytes = byteLength(written);
  if (bytes > options.scriptBytes) {
    const message = `The script has ${bytes} bytes, over the limit of ${options.scriptBytes} (limit scriptBytes).`;
    return notRun({ code: "SCRIPT_TOO_LARGE", message, retryable: false });
  }
  let script: NormalisedScript;
  try {
    script = normaliseScript(written);
  } catch (error) {
    if (!CallgateError.is(error)) throw error;
    const { line, column } = error.data as { line?: number; column?: number };
    return notRun({
      code: error.code,
      message: error.message,
      retryable: false,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    });
  }
  let compiled: CompileResult;
  try {
    compiled = await options.compile({ script: script.text, check: options.check });
  } catch (error) {
    // The checker itself gave up: aborted, closed, or too many scripts in line.
    if (!CallgateError.is(error)) throw error;
    const message = error.code === "DISPOSED" ? "The gate was closed." : error.message;
    return notRun({ code: error.code, message, retryable: error.retryable });
  }
  const diagnostics = compiled.diagnostics.map((found) => ({
    ...found,
    line: found.line + script.lineOffset,
  }));
  const { code, constants = [] } = compiled;
  if (code !== undefined) return { code, script, constants, diagnostics };
  return { diagnostics, error: firstError(diagnostics) };
}

function notRun(error: RunError): Prepared {
  return { diagnostics: [], error };
}

function firstError(diagnostics: readonly Diagnostic[]): RunError {
  const first = diagnostics.find(({ severity }) => severity === "error");
  if (first === undefined) {
    return {
      code: "INTERNAL",
      message: "The script was refused without a reason. Please report it.",
      retryable: false,
    };
  }
  const { code, message, line, column, source, suggestion } = first;
  return {
    code: code as ErrorCode,
    message: suggestion === undefined ? message : `${message} ${suggestion}`,
    line,
    column,
    source,
    retryable: false,
    diagnostics,
  };
}
