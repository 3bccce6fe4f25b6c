// Owns `callgate types`: the declarations of every tool, for an editor.
import { EXIT } from "../exit-code.ts";
import { noteProblems } from "../gate-notes.ts";
import { openGate, type Session } from "../open-gate.ts";
import type { ConfigFlags } from "../trust/require.ts";

export async function typesCommand(session: Session, flags: ConfigFlags): Promise<number> {
  await using opened = await openGate(session, flags);
  noteProblems(session, opened);
  const text = opened.gate.catalog.declarations();
  session.screen.print(text.endsWith("\n") ? text : `${text}\n`);
  return EXIT.completed;
}
