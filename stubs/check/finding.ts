// Owns the one way a fact about an offset of the script becomes a diagnostic, and which of many are kept.
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { bounded, lineAround, positionAt, printable } from "./text.ts";

/** How many diagnostics a script gets at most. */
export const MAX_DIAGNOSTICS = 5;
const MAX_MESSAGE = 700;
const MAX_SUGGESTION = 700;

/** Something to say about the script, at an offset of the script (not of the wrapped text). */
export interface Finding {
  readonly severity: Diagnostic["severity"];
  readonly code: string;
  readonly typescript?: number;
  readonly message: string;
  readonly offset: number;
  readonly suggestion?: string;
}

/** The diagnostics of a script: first position first, at most five; errors are kept before warnings. Pure. */
export function toDiagnostics(script: string, findings: readonly Finding[]): readonly Diagnostic[] {
  const inOrder = findings.toSorted((a, b) => a.offset - b.offset);
  const errors = inOrder.filter((finding) => finding.severity === "error");
  const warnings = inOrder.filter((finding) => finding.severity === "warning");
  const kept = new Set([...errors, ...warnings].slice(0, MAX_DIAGNOSTICS));
  return inOrder
    .filter((finding) => kept.has(finding))
    .map((finding) => ({
      severity: finding.severity,
      code: finding.code,
      ...(finding.typescript === undefined ? {} : { typescript: finding.typescript }),
      message: bounded(printable(finding.message), MAX_MESSAGE),
      ...positionAt(script, finding.offset),
      source: lineAround(script, finding.offset),
      ...(finding.suggestion === undefined
        ? {}
        : { suggestion: bounded(printable(finding.suggestion), MAX_SUGGESTION) }),
    }));
}
