// Owns `callgate check`: what the type checker says of a script. Nothing runs.
import { EXIT } from "../exit-code.ts";
import { diagnosticList } from "../failure.ts";
import { raced } from "../interrupt.ts";
import { noteProblems } from "../gate-notes.ts";
import { openGate, type Session } from "../open-gate.ts";
import { readScript } from "../script-source.ts";
import { counted } from "../text/amount.ts";
import type { ConfigFlags } from "../trust/require.ts";
import { green, lines } from "../text/styled.ts";

export interface CheckFlags extends ConfigFlags {
  readonly eval?: string;
  readonly json?: boolean;
}

/** Resolves to the exit code: 1 when there is an error; warnings alone give 0. */
export async function checkCommand(
  session: Session,
  file: string | undefined,
  flags: CheckFlags,
): Promise<number> {
  const { screen, interrupt } = session;
  const script = await readScript(session.world, { file, inline: flags.eval });
  await using opened = await openGate(session, flags);
  noteProblems(session, opened);
  const diagnostics = await raced(opened.gate.check(script.text), interrupt.signal);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  if (flags.json === true) screen.print(`${JSON.stringify(diagnostics, null, 2)}\n`);
  else screen.show(lines(diagnosticList(diagnostics, script.name)));
  const verdict = `${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  screen.note(diagnostics.length === 0 ? green("no problems") : verdict);
  return errors > 0 ? EXIT.failed : EXIT.completed;
}
