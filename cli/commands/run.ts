// Owns `callgate run`: one script through the gate, its output on stdout, the rest on stderr.
import { resolve } from "node:path";
import type { Approve, CheckMode, Elicit, RunLimits, RunResult } from "../../index.ts";
import { createElicitPrompt, declineAll } from "../elicit-prompt.ts";
import { emittedLines, openFolder, writeEmitted } from "../emitted.ts";
import { EXIT, exitCodeOf } from "../exit-code.ts";
import { diagnosticList, failure } from "../failure.ts";
import { gateNotes, noteProblems } from "../gate-notes.ts";
import { openGate, standingAnswer, type OpenGate, type Session } from "../open-gate.ts";
import { planOf } from "../plan.ts";
import { createProgress } from "../progress.ts";
import { createPrompt, type PromptOptions } from "../prompt.ts";
import { receipt } from "../receipt.ts";
import { readScript, type Script } from "../script-source.ts";
import type { ConfigFlags } from "../trust/require.ts";
import { errorLine } from "../text/headline.ts";
import { dim } from "../text/styled.ts";
import { UsageError } from "../usage-error.ts";
import { fileChanges } from "../watch.ts";

export interface RunFlags extends ConfigFlags {
  readonly eval?: string;
  readonly check: CheckMode;
  readonly limit?: Partial<RunLimits>;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly deny?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly principal?: string;
  readonly timezone?: string;
  readonly watch?: boolean;
  readonly emitDir?: string;
}

/** Resolves to the exit code. */
export async function runCommand(
  session: Session,
  file: string | undefined,
  flags: RunFlags,
): Promise<number> {
  const source = { file, inline: flags.eval };
  // Before the script is read, so that no change to it is missed.
  const changes = flags.watch === true ? await changesOf(session, source) : undefined;
  let script = await readScript(session.world, source);
  if (flags.emitDir !== undefined) await openFolder(session.world.cwd, flags.emitDir);
  const standing = standingAnswer(flags);
  const approve = standing ?? promptFor(session, file, () => script);
  // An answer given beforehand is one about calls; what a server may ask is not known then.
  const elicit = (standing === undefined && elicitPromptFor(session, file)) || declineAll;
  await using opened = await openGate(session, flags, { approve, elicit, quiet: flags.quiet === true });
  noteProblems(session, opened);
  const run = (): Promise<number> =>
    runOnce(session, opened, script, flags, {
      timeZone: flags.timezone ?? opened.loaded.config.timeZone,
      asked: approve !== undefined,
    });
  if (changes === undefined) return await run();
  for (let code = await run(); ; code = await run()) {
    if (session.interrupt.signal.aborted) return code;
    if (flags.quiet !== true) session.screen.note(dim(`watching ${script.name}; Ctrl-C ends`));
    const fresh = await nextScript(session, source, changes);
    if (fresh === undefined) return code;
    script = fresh;
  }
}

type Source = Parameters<typeof readScript>[1];
type Changes = Awaited<ReturnType<typeof fileChanges>>;

function changesOf({ world, interrupt }: Session, { file, inline }: Source): Promise<Changes> {
  if (file === undefined || file === "-" || inline !== undefined)
    throw new UsageError("--watch needs a file to watch");
  return fileChanges(resolve(world.cwd, file), { signal: interrupt.signal });
}

/** The script as it is after the next change that leaves one; undefined at the end. */
async function nextScript(
  { world, screen }: Session,
  source: Source,
  changes: Changes,
): Promise<Script | undefined> {
  while ((await changes.next()).done !== true) {
    try {
      return await readScript(world, source);
    } catch (error) {
      screen.note(errorLine(undefined, (error as Error).message));
    }
  }
  return undefined;
}

/** Undefined when nobody can be asked: the broker then denies, naming the rule that would allow. */
function promptFor(session: Session, file: string | undefined, script: () => Script): Approve | undefined {
  const terminal = terminalOf(session, file);
  return terminal && createPrompt({ ...terminal, script });
}

function elicitPromptFor(session: Session, file: string | undefined): Elicit | undefined {
  const terminal = terminalOf(session, file);
  return terminal && createElicitPrompt(terminal);
}

/** Undefined when there is none, or the script comes through it. */
function terminalOf(
  { world, screen, interrupt }: Session,
  file: string | undefined,
): Omit<PromptOptions, "script"> | undefined {
  const { stdin: input, stderr: output } = world;
  if (input.isTTY !== true || output.isTTY !== true || file === "-") return undefined;
  return { input, output, screen, interrupt: () => interrupt.raise("SIGINT") };
}

async function runOnce(
  { world, screen, interrupt }: Session,
  opened: OpenGate,
  script: Script,
  flags: RunFlags,
  context: { readonly timeZone: string | undefined; readonly asked: boolean },
): Promise<number> {
  const result = await (async (): Promise<RunResult> => {
    using progress = createProgress(flags.quiet === true ? { live: () => {} } : screen);
    return await opened.gate.run(script.text, {
      check: flags.check,
      ...(flags.limit !== undefined && { limits: flags.limit }),
      signal: interrupt.signal,
      onProgress: progress.update,
      dryRun: flags.dryRun === true,
      ...(flags.principal !== undefined && { principal: flags.principal }),
      ...(context.timeZone !== undefined && { timeZone: context.timeZone }),
    });
  })();
  if (flags.json === true)
    screen.print(`${JSON.stringify({ ...result, notes: gateNotes(opened) }, null, 2)}\n`);
  else if (result.output !== "") screen.print(ended(result.output));
  // Written before the words about it, so that they do not overtake it where both go to one place.
  await screen.flush();
  const { warnings, content = [], runId } = result;
  const written =
    flags.emitDir === undefined
      ? { files: [] }
      : await writeEmitted(content, { cwd: world.cwd, folder: flags.emitDir, runId });
  if (written.problem !== undefined) screen.note(errorLine(undefined, written.problem));
  for (const line of diagnosticList(warnings, script.name)) screen.note(line);
  for (const line of failure(result, script.name)) screen.note(line);
  if (flags.dryRun === true && flags.json !== true)
    for (const line of planOf(result.calls)) screen.note(line);
  if (flags.quiet !== true)
    for (const line of [...emittedLines(content, written.files), ...receipt(result)]) screen.note(line);
  const code = exitCodeOf(result, context.asked);
  return code === EXIT.completed && written.problem !== undefined ? EXIT.failed : code;
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
