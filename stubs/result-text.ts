// Owns how a run's result reads to a model, written so that it can repair the script.
import type { CallReceipt } from "../contract/call.ts";
import type { EmittedContent } from "../contract/content.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import type { RunError, RunResult } from "../contract/result.ts";

const CALLS_SHOWN = 20;
const WARNINGS_SHOWN = 3;
const EMITTED_SHOWN = 10;

export function resultText(result: RunResult): string {
  const parts: string[] = [];
  if (result.output !== "") parts.push(result.output);
  if (result.content !== undefined) parts.push(emittedText(result.content));
  if (result.error !== undefined) parts.push(errorText(result.error), doneText(result.calls));
  for (const warning of result.warnings.slice(0, WARNINGS_SHOWN))
    parts.push(`Warning: ${diagnosticText(warning)}`);
  if (parts.length === 0)
    parts.push("The script completed and logged nothing. Use console.log or return to see a result.");
  return parts.join("\n\n");
}

/** For models whose host shows them text only. */
export function emittedText(content: readonly EmittedContent[]): string {
  const shown = content.slice(0, EMITTED_SHOWN).map(({ mimeType, bytes }) => `${mimeType} (${bytes} bytes)`);
  const more = content.length > shown.length ? ` and ${content.length - shown.length} more` : "";
  return `Emitted: ${shown.join(", ")}${more}.`;
}

function errorText(error: RunError): string {
  if (error.diagnostics !== undefined && error.diagnostics.length > 0) {
    const errors = error.diagnostics.filter(({ severity }) => severity === "error");
    return `${error.code}: the script was not run.\n${errors.map(diagnosticText).join("\n")}`;
  }
  const where = error.line === undefined ? "" : ` at line ${error.line}, column ${error.column ?? 1}`;
  const source = error.source === undefined ? "" : `\n  ${error.line} | ${error.source}`;
  const named = error.name === undefined || error.name === "Error" ? "" : `${error.name}: `;
  return `${error.code}${where}: ${named}${error.message}${source}`;
}

export function diagnosticText(diagnostic: Diagnostic): string {
  const { line, column, message, source, suggestion } = diagnostic;
  const hint = suggestion === undefined ? "" : `\n  ${suggestion}`;
  return `line ${line}, column ${column}: ${message}\n  ${line} | ${source}${hint}`;
}

/** What has been done already: the part that decides how to go on. */
function doneText(calls: readonly CallReceipt[]): string {
  const sent = calls.filter(
    ({ status }) => status !== "denied" && status !== "unsent" && status !== "planned",
  );
  if (sent.length === 0) return "No call was made.";
  const changed = sent.filter(({ safeToRepeat, status }) => !safeToRepeat && status !== "error");
  const failed = sent.filter(({ status }) => status === "error");
  const lines = [`${sent.length} calls were made.`];
  if (changed.length > 0) lines.push(`Done or possibly done, do not repeat: ${countText(changed)}.`);
  if (failed.length > 0) lines.push(`Failed: ${countText(failed)}.`);
  if (changed.length === 0 && failed.length === 0)
    lines.push("All of them only read; the script can be run again.");
  return lines.join(" ");
}

function countText(calls: readonly CallReceipt[]): string {
  const counts = new Map<string, number>();
  for (const { server, tool, status } of calls) {
    const name = `${server}.${tool}${status === "unknown" ? " (outcome unknown)" : ""}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const shown = [...counts]
    .slice(0, CALLS_SHOWN)
    .map(([name, count]) => (count === 1 ? name : `${name} × ${count}`));
  return counts.size > CALLS_SHOWN
    ? `${shown.join(", ")} and ${counts.size - CALLS_SHOWN} more`
    : shown.join(", ");
}
