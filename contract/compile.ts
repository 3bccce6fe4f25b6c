// Owns the port between the runtime, which needs runnable JavaScript, and the checker, which makes it.
import type { Diagnostic } from "./diagnostic.ts";

export type CheckMode = "error" | "warn" | "off";

export interface CompileRequest {
  /** The script after `normaliseScript`: no BOM, shebang or fence; lines kept. */
  readonly script: string;
  readonly check: CheckMode;
}

/** `code` is the wrapped JavaScript, columns kept; absent when a diagnostic of severity error forbids running. */
export interface CompileResult {
  readonly code?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Values that stand in the script, bounded in number and size; there whenever `code` is. */
  readonly constants?: readonly (null | boolean | number | string)[];
}

/** The wrapper makes top-level `await` and `return` legal. It adds exactly one line above the script. */
export const WRAPPER = {
  checked: { before: "async function __main() {\n", after: "\n}" },
  runnable: { before: '(async function () { "use strict";\n', after: "\n})" },
  lines: 1,
} as const;
