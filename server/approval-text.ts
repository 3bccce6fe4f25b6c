// Owns what a client's person reads of calls that need approval.
// Security: a server or a script could write anything here; nothing of theirs may look like a line of ours.
import type { ApprovalCall, ApprovalRequest, CallReceipt } from "../index.ts";
import { visible, visibleLine } from "./visible.ts";

export interface SetText {
  readonly text: string;
  /** How many calls of the set it shows, whole and from the first on; at least one. */
  readonly shown: number;
}

const NAME_UNITS = 128;
const REASON_UNITS = 400;
const SOURCE_UNITS = 160;
/** A person reads no more; the calls that do not fit are asked about in the next question. */
const SET_UNITS = 12_000;
const MAX_TOOLS = 10;
const SPACES = / {3,}/g;

/** One call, its arguments as indented JSON. */
export function callText(request: ApprovalRequest): string {
  const { server, tool, arguments: given, calls } = request;
  const shown = typeof given === "string" ? given : JSON.stringify(given, null, 2);
  return [
    `May ${visibleLine(tool, NAME_UNITS)} of server ${visibleLine(server, NAME_UNITS)} be called? (Call ${request.seq} of the run${place(request)}.)`,
    `Arguments:\n${visible(shown)}`,
    ...whyLines(request),
    doneLine(calls),
  ].join("\n");
}

/** Several calls, one line for each. A reason is told where it changes. */
export function setText(set: readonly ApprovalCall[], calls: readonly CallReceipt[]): SetText {
  const lines: string[] = [];
  let units = 0;
  let shown = 0;
  let before = "";
  for (const call of set) {
    const why = whyLines(call).join("\n");
    const row = `[${shown + 1}/${set.length}] ${name(call)} ${compact(call)} (call ${call.seq}${place(call)})`;
    const added = why === before ? [row] : [why, row];
    units += added.join("\n").length;
    if (units > SET_UNITS && shown > 0) break;
    lines.push(...added);
    before = why;
    shown += 1;
  }
  const left = set.length - shown;
  const [first, question] =
    left === 0
      ? [`May these ${set.length} calls be made?`, []]
      : [
          `${set.length} calls ask for approval. May the first ${shown} of them be made?`,
          [`And ${left} more, which you are asked about after these.`],
        ];
  return { text: [first, ...lines, ...question, doneLine(calls)].join("\n"), shown };
}

function name({ server, tool }: Pick<ApprovalCall, "server" | "tool">): string {
  return `${line(server, NAME_UNITS)}.${line(tool, NAME_UNITS)}`;
}

function place({ line: at }: ApprovalCall): string {
  return at === undefined ? "" : `, line ${at} of the script`;
}

function compact({ arguments: given }: ApprovalCall): string {
  return line(typeof given === "string" ? given : JSON.stringify(given), Infinity);
}

/** With enough spaces a line that is broken by a narrow window would look like two. */
function line(text: string, max: number): string {
  return visibleLine(text, max).replace(SPACES, (run) => `‹${run.length} spaces›`);
}

function whyLines({ reason, labels = [], source }: ApprovalCall): readonly string[] {
  const data = labels.map(({ label, results, conversation }) => {
    const from = results.map((result) => `${name(result)} (call ${result.seq})`);
    return `${line(label, 60)} from ${[...from, ...(conversation ? ["the conversation"] : [])].join(", ")}`;
  });
  return [
    `Why you are asked: ${line(reason, REASON_UNITS)}`,
    ...(data.length === 0 ? [] : [`Data: ${data.join("; ")}`]),
    ...(source === undefined ? [] : [`Script: ${line(source, SOURCE_UNITS)}`]),
  ];
}

function doneLine(calls: readonly CallReceipt[]): string {
  const made = calls.filter(({ status }) => status !== "denied" && status !== "unsent");
  if (made.length === 0) return "Calls of this run so far: none.";
  const groups = [...Map.groupBy(made, name)];
  const names = groups
    .slice(0, MAX_TOOLS)
    .map(([tool, { length }]) => (length === 1 ? tool : `${tool} ×${length}`));
  const more = groups.length > MAX_TOOLS ? ` and of ${groups.length - MAX_TOOLS} more tools` : "";
  return `Calls of this run so far: ${made.length} (${names.join(", ")}${more}).`;
}
