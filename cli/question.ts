// Owns what a person is shown of a call that needs approval, in rows of their terminal.
import type { ApprovalCall, ApprovalRequest, CallReceipt } from "../index.ts";
import { toolName } from "./call-table.ts";
import { counted } from "./text/amount.ts";
import { bold, dim, yellow, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

export interface Shown {
  /** The script that runs. */
  readonly script: { readonly name: string; readonly text: string };
  /** Columns of the terminal. */
  readonly width: number;
}

/** Longer arguments are cut; the broker has bounded them before. */
const MAX_ARGUMENTS = 9_000;
const MAX_TOOLS = 10;

/** One call. Security: a server or script could write anything here; all of it is made visible. */
export function callRows(request: ApprovalRequest, shown: Shown): readonly Text[] {
  return [
    [yellow("approval needed: "), bold(toolName(request))],
    ...argumentRows(request).flatMap((row) => folded(row, shown.width)),
    ...reasonRows(request, shown).flatMap((row) => folded(row, shown.width)),
  ];
}

/** Several calls as a numbered table. A reason is shown where it changes, so that it stands below what it is about. */
export function setRows(set: readonly ApprovalCall[], shown: Shown): readonly Text[] {
  const names = new Set(set.map(toolName));
  const [only = ""] = names;
  const what = names.size === 1 ? `${counted(set.length, "call")} of ${only}` : counted(set.length, "call");
  const digits = String(set.length).length;
  let before: readonly string[] = [];
  const rows = set.flatMap((call, index) => {
    const number = String(index + 1).padStart(digits);
    const reasons = reasonRows(call, shown);
    const repeated = reasons.join("\n") === before.join("\n");
    before = reasons;
    return [
      `${number}  ${toolName(call)}  ${compactArguments(call)}`,
      ...(repeated ? [] : reasons.map((row) => `${" ".repeat(digits)}  ${row}`)),
    ];
  });
  return [[yellow("approval needed: "), bold(what)], ...rows.flatMap((row) => folded(row, shown.width))];
}

/** What the run has done before it asks. */
export function doneRows(calls: readonly CallReceipt[], { width }: Shown): readonly Text[] {
  const made = calls.filter(({ status }) => status !== "denied" && status !== "unsent");
  if (made.length === 0) return [];
  const groups = [...Map.groupBy(made, toolName)];
  const names = groups
    .slice(0, MAX_TOOLS)
    .map(([name, { length }]) => (length === 1 ? name : `${name} ×${length}`));
  const more = groups.length > MAX_TOOLS ? ` and ${counted(groups.length - MAX_TOOLS, "more tool")}` : "";
  return folded(`so far: ${names.join(", ")}${more}`, width);
}

function reasonRows(call: ApprovalCall, { script }: Shown): readonly string[] {
  const { line, labels = [] } = call;
  const source = line === undefined ? undefined : script.text.split(/\r\n|\r|\n/)[line - 1];
  const data = labels.map(({ label, results, conversation }) => {
    const from = results.map((result) => `${toolName(result)} (call ${result.seq})`);
    return `${visibleLine(label, 60)} from ${[...from, ...(conversation ? ["the conversation"] : [])].join(", ")}`;
  });
  return [
    `why: ${visibleLine(call.reason, 400)}`,
    ...(data.length === 0 ? [] : [`data: ${data.join("; ")}`]),
    ...(line === undefined
      ? []
      : [`at ${visibleLine(script.name)}:${line}: ${visibleLine(source?.trim() ?? "", 160)}`]),
  ];
}

function argumentRows({ arguments: given }: ApprovalCall): readonly string[] {
  const text = typeof given === "string" ? given : (JSON.stringify(given, null, 2) ?? "");
  const rows = text.slice(0, MAX_ARGUMENTS).split("\n");
  return [...rows.map((row) => visibleLine(row, MAX_ARGUMENTS * 8)), ...cut(text)];
}

function compactArguments({ arguments: given }: ApprovalCall): string {
  const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "");
  return [visibleLine(text.slice(0, MAX_ARGUMENTS), MAX_ARGUMENTS * 8), ...cut(text)].join(" ");
}

function cut(text: string): readonly string[] {
  return text.length > MAX_ARGUMENTS ? [`… ${text.length - MAX_ARGUMENTS} more characters (cut)`] : [];
}

/** A row in as many as the terminal needs. Security: one that it broke by itself could look like a line of ours. */
export function folded(row: string, width: number): readonly Text[] {
  const characters = Array.from(row);
  const room = Math.max(20, width - 5);
  const parts = Array.from({ length: Math.max(1, Math.ceil(characters.length / room)) }, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(""),
  );
  return parts.map((part, index) => [index === 0 ? "  " : dim("  ┆ "), part]);
}
