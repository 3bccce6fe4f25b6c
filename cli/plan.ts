// Owns what a dry run would have done, in lines.
import type { CallReceipt } from "../index.ts";
import { toolName } from "./call-table.ts";
import { counted } from "./text/amount.ts";
import { bold, dim, yellow, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

const MAX_SHOWN = 1_000;
const MAX_ARGUMENTS = 400;

/** One line per call, in order; ends with what such a plan cannot know. */
export function planOf(calls: readonly CallReceipt[]): readonly Text[] {
  const planned = calls.flatMap((call) => (call.planned === undefined ? [] : [{ ...call, ...call.planned }]));
  if (planned.length === 0) return [bold("dry run: nothing but reads would be done")];
  const width = String(planned.at(-1)?.seq).length;
  const rows = planned.slice(0, MAX_SHOWN).map((call): Text => {
    const given = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    return [
      dim(`  #${String(call.seq).padEnd(width)} `),
      toolName(call),
      " ",
      visibleLine(given, MAX_ARGUMENTS),
      call.effect === "ask" ? yellow(`  (asks first: ${visibleLine(call.reason, 200)})`) : "",
    ];
  });
  const more = planned.length - rows.length;
  return [
    bold(`dry run: ${counted(planned.length, "call")} would be made`),
    ...rows,
    ...(more > 0 ? [dim(`  and ${more} more: --json has them all`)] : []),
    dim("  The script saw placeholders for their results; what depends on a real result may differ."),
  ];
}
