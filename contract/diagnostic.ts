// Owns what the checker says about a script, in positions of the script as written.

export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** `SCRIPT_SYNTAX`, `SCRIPT_UNSUPPORTED_SYNTAX`, `SCRIPT_TYPE`, or a warning's own name such as `UNAWAITED_CALL`. */
  readonly code: string;
  /** TypeScript's number where the checker gave it. */
  readonly typescript?: number;
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The source line, bounded. */
  readonly source: string;
  /** What to write instead, when known. */
  readonly suggestion?: string;
}
