// Owns the way of one script through the thread: parse, refuse, check, erase.
import type { Statement } from "typescript";
import type { CheckMode, CompileResult } from "../../contract/compile.ts";
import { type CatalogIndex, type CatalogInput, indexCatalog } from "./catalog-index.ts";
import { findConstants } from "./constants.ts";
import { typeFindings } from "./explain.ts";
import { type Finding, toDiagnostics } from "./finding.ts";
import { findHabit } from "./habits.ts";
import { findLastCall } from "./last-call.ts";
import type { Stage } from "./thread-port.ts";
import { type ParsedScript, parseScript, ScriptChecker } from "./program.ts";
import { stripTypes } from "./strip.ts";
import { syntaxFindings, unsupportedFindings } from "./syntax.ts";
import { unawaitedFindings } from "./tool-calls.ts";

/** Compiles scripts one after another against the catalog set last. Holds TypeScript's parsed libraries. */
export class Pipeline {
  readonly #checker: ScriptChecker = new ScriptChecker();
  #index: CatalogIndex = indexCatalog([]);
  #stage: Stage = "parse";

  setCatalog(catalog: CatalogInput): void {
    this.#index = indexCatalog(catalog.tools);
    this.#checker.setDeclarations(catalog.declarations);
  }

  /** What the script last compiled had come to. */
  get stage(): Stage {
    return this.#stage;
  }

  compile(script: string, check: CheckMode): CompileResult {
    this.#stage = "parse";
    const written = parseScript(script);
    const broken = syntaxFindings(written);
    if (broken.length > 0) return { diagnostics: toDiagnostics(script, broken) };

    const habit = findHabit(written);
    const parsed = habit?.script === undefined ? written : parseScript(habit.script);
    const refused = [...syntaxFindings(parsed), ...unsupportedFindings(parsed)];
    if (refused.length > 0) return { diagnostics: toDiagnostics(script, refused) };

    // The engine refuses in milliseconds what can take TypeScript's checker seconds, so it is asked first.
    const lastCall = habit === undefined ? findLastCall(parsed) : undefined;
    const { code, finding } = stripTypes(parsed, (habit ?? lastCall)?.around);
    if (finding !== undefined) return { diagnostics: toDiagnostics(script, [finding]) };

    const constants = findConstants(parsed);
    const findings: Finding[] = habit === undefined ? [] : [habit.finding];
    if (check !== "off") {
      this.#stage = "check";
      findings.push(...this.#findings(parsed, check, lastCall?.statement));
    }
    const diagnostics = toDiagnostics(script, findings);
    return findings.some(isError) ? { diagnostics } : { code, constants, diagnostics };
  }

  #findings(
    parsed: ParsedScript,
    check: "error" | "warn",
    awaited: Statement | undefined,
  ): readonly Finding[] {
    const checked = this.#checker.check(parsed);
    return [
      ...typeFindings(parsed, checked, this.#index, check === "error" ? "error" : "warning"),
      ...unawaitedFindings(parsed, checked, this.#index, awaited),
    ];
  }
}

function isError(finding: Finding): boolean {
  return finding.severity === "error";
}
