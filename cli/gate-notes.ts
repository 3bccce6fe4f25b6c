// Owns what an open gate has to tell before anything runs: servers that do not work, and its own notes.
import type { Gate } from "../index.ts";
import type { OpenGate, Session } from "./open-gate.ts";
import { counted } from "./text/amount.ts";
import { warningLine } from "./text/headline.ts";
import { dim } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

const MAX_NOTES = 10;
/** How the gate begins its note about pins that could not be written; it does not know the file as a person does. */
const UNKEPT = "pins cannot be kept";

/** One sentence each, servers first; bounded, in one line. */
export function gateNotes(opened: Pick<OpenGate, "gate" | "loaded">): readonly string[] {
  return [...unusable(opened.gate), ...remarks(opened)];
}

/** The same on stderr, the first ten of the gate's own. Told even when quiet: the result may depend on them. */
export function noteProblems({ screen }: Session, opened: Pick<OpenGate, "gate" | "loaded">): void {
  for (const text of unusable(opened.gate)) screen.note(warningLine(undefined, text));
  const notes = remarks(opened);
  for (const text of notes.slice(0, MAX_NOTES)) screen.note(dim(`note: ${text}`));
  const more = notes.length - MAX_NOTES;
  if (more > 0) screen.note(dim(`and ${counted(more, "more note")}: callgate doctor`));
}

function unusable(gate: Gate): readonly string[] {
  return gate.servers().flatMap(({ server, state, error }) => {
    const name = `server ${visibleLine(server, 60)}`;
    if (state === "failed") return [`${name} is not available: ${visibleLine(error ?? "", 600)}`];
    return state === "connecting" ? [`${name} is still starting; its tools are not known yet`] : [];
  });
}

function remarks({ gate, loaded }: Pick<OpenGate, "gate" | "loaded">): readonly string[] {
  const { lockFile } = loaded;
  return gate.notes.map((note) => {
    const text = visibleLine(note, 300);
    return note.startsWith(UNKEPT) && lockFile !== undefined
      ? `${visibleLine(lockFile, 200)}: cannot be written: ${text}`
      : text;
  });
}
