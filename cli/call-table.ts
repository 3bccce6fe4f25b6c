// Owns the summary of a run's calls by tool, and what of them may be repeated.
import type { CallReceipt } from "../index.ts";
import { counted } from "./text/amount.ts";
import { dim, green, red, yellow, type Styled, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

const MAX_TOOLS = 30;
const COLOURS: Readonly<Record<CallReceipt["status"], (text: Text) => Styled>> = {
  ok: green,
  error: red,
  denied: yellow,
  unknown: yellow,
  unsent: dim,
  planned: yellow,
};

export function toolName({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return visibleLine(`${server}.${tool}`, 60);
}

/** One line per tool: its name, then its calls by what became of them. */
export function callTable(calls: readonly CallReceipt[]): readonly Text[] {
  const groups = [...groupBy(calls, toolName)];
  const width = Math.max(0, ...groups.map(([name]) => name.length));
  const rows = groups.slice(0, MAX_TOOLS).map(([name, group]): Text => {
    const counts = [
      ...groupBy(group, ({ status, code }) => (code === undefined ? status : `${status} ${code}`)),
    ];
    const parts = counts.map(([word, list], index): Text => {
      const colour = COLOURS[(list[0] as CallReceipt).status];
      return [index === 0 ? "" : ", ", colour(`${list.length.toLocaleString("en-US")} ${word}`)];
    });
    return ["  ", name.padEnd(width), "  ", parts];
  });
  const more = groups.length - rows.length;
  return more > 0 ? [...rows, dim(`  and ${counted(more, "more tool")}`)] : rows;
}

type Fate = "done" | "unknown" | "failed" | "safe" | "unsent";

/** Each call is in one group: changed something, may have, failed at it, may be repeated, never left. */
function fateOf({ status, code, safeToRepeat }: CallReceipt): Fate {
  if (status === "denied" || status === "unsent" || status === "planned") return "unsent";
  if (safeToRepeat) return "safe";
  if (status === "unknown") return "unknown";
  // The tool did its work; only its answer is not usable.
  return status === "ok" || code === "CALL_INVALID_RESULT" ? "done" : "failed";
}

/** What the calls of a failed run have already done, so that a person knows what to repeat. */
export function whatWasDone(calls: readonly CallReceipt[]): readonly Text[] {
  if (calls.length === 0) return [dim("  no call was made")];
  const groups = groupBy(calls, fateOf);
  const told = (fate: Fate, head: Text): readonly Text[] => sentence(head, groups.get(fate) ?? []);
  return [
    ...told("done", yellow("  already done, do not repeat: ")),
    ...told("unknown", yellow("  sent, effect unknown: ")),
    ...told("failed", red("  failed, may be done in part: ")),
    ...told("safe", dim("  safe to repeat: ")),
    ...told("unsent", dim("  never sent: ")),
  ];
}

function sentence(head: Text, calls: readonly CallReceipt[]): readonly Text[] {
  if (calls.length === 0) return [];
  const groups = [...groupBy(calls, toolName)];
  const names = groups
    .slice(0, MAX_TOOLS)
    .map(([name, { length }]) => (length === 1 ? name : `${name} ×${length}`));
  const more = groups.length - names.length;
  return [[head, names.join(", "), more > 0 ? ` and ${counted(more, "more tool")}` : ""]];
}

function groupBy<T, K extends string>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  return Map.groupBy(items, key);
}
