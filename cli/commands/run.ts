// Owns `callgate run`: one script through the gate, its output on stdout, the rest on stderr.
import type { Approve, CheckMode, Gate, RunLimits, RunResult } from "../../index.ts";
import { exitCodeOf } from "../exit-code.ts";
import { diagnosticList, failure } from "../failure.ts";
import { noteProblems, openGate, standingAnswer, type Session } from "../open-gate.ts";
import { planOf } from "../plan.ts";
import { createProgress } from "../progress.ts";
import { createPrompt } from "../prompt.ts";
import { receipt } from "../receipt.ts";
import { readScript, type Script } from "../script-source.ts";
import { dim } from "../text/styled.ts";
import { UsageError } from "../usage-error.ts";
import { fileChanges } from "../watch.ts";

export interface RunFlags {
  readonly config?: string;
  readonly policy?: readonly string[];
  readonly eval?: string;
  readonly check: CheckMode;
  readonly limit: Partial<RunLimits>;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly deny?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly principal?: string;
  readonly timezone?: string;
  readonly watch?: boolean;
}

/** Resolves to the exit code. */
export async function runCommand(
  session: Session,
  file: string | undefined,
  flags: RunFlags,
): Promise<number> {
  const source = { file, inline: flags.eval };
  if (flags.watch === true && (file === undefined || file === "-" || flags.eval !== undefined))
    throw new UsageError("--watch needs a file to watch");
  let script = await readScript(session.world, source);
  const approve = standingAnswer(flags) ?? promptFor(session, file, () => script);
  await using opened = await openGate(session, {
    config: flags.config,
    policies: flags.policy,
    approve,
    quiet: flags.quiet === true,
  });
  if (flags.quiet !== true) noteProblems(session, opened.gate);
  const run = (): Promise<number> =>
    runOnce(session, opened.gate, script, flags, {
      timeZone: flags.timezone ?? opened.loaded.config.timeZone,
      asked: approve !== undefined,
    });
  if (flags.watch !== true || script.path === undefined) return await run();
  const { signal } = session.interrupt;
  const changes = fileChanges(script.path, { signal });
  for (;;) {
    const code = await run();
    if (signal.aborted) return code;
    if (flags.quiet !== true) session.screen.note(dim(`watching ${script.name}; Ctrl-C ends`));
    if ((await changes.next()).done === true) return code;
    script = await readScript(session.world, source).catch(() => script);
  }
}

/** Undefined when nobody can be asked: the broker then denies, naming the rule that would allow. */
function promptFor(session: Session, file: string | undefined, script: () => Script): Approve | undefined {
  const { world, screen, interrupt } = session;
  const { stdin: input, stderr: output } = world;
  if (input.isTTY !== true || output.isTTY !== true || file === "-") return undefined;
  return createPrompt({ input, output, screen, script, interrupt: () => interrupt.raise("SIGINT") });
}

async function runOnce(
  { screen, interrupt }: Session,
  gate: Gate,
  script: Script,
  flags: RunFlags,
  context: { readonly timeZone: string | undefined; readonly asked: boolean },
): Promise<number> {
  const result = await (async (): Promise<RunResult> => {
    using progress = createProgress(flags.quiet === true ? { live: () => {} } : screen);
    return await gate.run(script.text, {
      check: flags.check,
      limits: flags.limit,
      signal: interrupt.signal,
      onProgress: progress.update,
      dryRun: flags.dryRun === true,
      ...(flags.principal !== undefined && { principal: flags.principal }),
      ...(context.timeZone !== undefined && { timeZone: context.timeZone }),
    });
  })();
  if (flags.json === true) screen.print(`${JSON.stringify(result, null, 2)}\n`);
  else if (result.output !== "") screen.print(ended(result.output));
  // Written before the words about it, so that they do not overtake it where both go to one place.
  await screen.flush();
  const { warnings } = result;
  for (const line of diagnosticList(warnings, script.name)) screen.note(line);
  for (const line of failure(result, script.name)) screen.note(line);
  if (flags.dryRun === true && flags.json !== true)
    for (const line of planOf(result.calls)) screen.note(line);
  if (flags.quiet !== true) for (const line of receipt(result)) screen.note(line);
  return exitCodeOf(result, context.asked);
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
