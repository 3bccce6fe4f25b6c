// Owns `callgate trust config`: showing what a configuration starts, and remembering that a person agreed to it.
import { loadConfig } from "../config/load.ts";
import { canAsk, confirmed } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../open-gate.ts";
import { entryLines, serverRows } from "../servers/shown.ts";
import { bold, dim, green, yellow } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { isTrusted, judge, sentence, type ConfigFlags, type Judged } from "../trust/require.ts";
import type { Startup } from "../trust/startup.ts";
import { fileProblem, UsageError, withCode } from "../usage-error.ts";

export interface TrustConfigFlags extends ConfigFlags {
  readonly yes?: boolean;
  readonly forget?: boolean;
  readonly json?: boolean;
}

/** Resolves to 0 when the configuration may start its servers, or nothing is left of what was agreed to; else to 1. */
export async function trustConfigCommand(session: Session, flags: TrustConfigFlags): Promise<number> {
  const { world, screen } = session;
  const loaded = await loadConfig({ cwd: world.cwd, file: flags.config }).catch((error: unknown) => {
    throw withCode(error, "CONFIG_INVALID");
  });
  if (loaded.file === undefined)
    throw new UsageError("there is no callgate.json here; --config names another file");
  const file = visibleLine(loaded.file, 200);
  const judged = await judge(world, loaded, flags);
  if (flags.forget === true) return await forget(session, judged, file);
  const { startup, standing } = judged;
  if (startup === undefined) {
    if (flags.json === true) screen.print(`${JSON.stringify({ file: loaded.file, standing }, null, 2)}\n`);
    else screen.note(green(`${file} starts nothing, so there is nothing to agree to`));
    return EXIT.completed;
  }
  if (flags.json === true) printJson(session, loaded.file, judged, startup);
  else await show(session, file, judged, startup);
  if (isTrusted(standing) && (flags.yes !== true || standing === "agreed")) return EXIT.completed;
  if (flags.yes !== true) {
    if (flags.json === true) return EXIT.failed;
    if (!canAsk(world)) throw new UsageError("there is no terminal to ask at; --yes agrees to what is shown");
    if (!(await confirmed(session, "may it start these, now and later?"))) {
      screen.note("nothing was agreed to");
      return EXIT.failed;
    }
  }
  await keep(session, judged, startup);
  screen.note(green(`${file} is trusted, until what it starts changes`));
  return EXIT.completed;
}

async function show(
  { world, screen }: Session,
  file: string,
  judged: Judged,
  startup: Startup,
): Promise<void> {
  const { standing } = judged;
  screen.show([
    isTrusted(standing) ? `${file} is trusted (${WHY.get(standing)})` : yellow(sentence(judged, file)),
    "\n",
  ]);
  for (const row of serverRows(startup.servers, world.stdout.columns || 80)) screen.show([row, "\n"]);
  screen.show([dim("hash: "), bold(startup.sha256), "\n"]);
  await screen.flush();
}

const WHY: ReadonlyMap<string, string> = new Map([
  ["agreed", "it was agreed to before"],
  ["vouched", "by --trust-config or CALLGATE_TRUST, for this command"],
]);

function printJson({ screen }: Session, file: string, { standing }: Judged, startup: Startup): void {
  const servers = Object.entries(startup.servers).map(([name, entry]) => ({
    name,
    shown: entryLines(entry),
  }));
  screen.print(
    `${JSON.stringify({ file, path: startup.path, standing, sha256: startup.sha256, servers }, null, 2)}\n`,
  );
}

async function keep({ interrupt }: Session, { store }: Judged, { path, sha256 }: Startup): Promise<void> {
  await kept(store, (known) => known.add(path, sha256, interrupt.signal), interrupt.signal);
}

async function forget(session: Session, { startup, store }: Judged, file: string): Promise<number> {
  const { screen, interrupt } = session;
  if (startup === undefined) throw new UsageError(`${file} starts nothing; there is nothing to forget`);
  const { path } = startup;
  const forgotten = await kept(store, (known) => known.forget(path, interrupt.signal), interrupt.signal);
  screen.note(forgotten ? green(`${file} is not trusted any more`) : `${file} was not trusted before`);
  return EXIT.completed;
}

async function kept<T>(
  store: Judged["store"],
  work: (store: NonNullable<Judged["store"]>) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (store === undefined)
    throw new UsageError(
      "there is no home folder to remember it in; set HOME, or use --trust-config each time",
    );
  try {
    return await work(store);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError(`${visibleLine(store.file, 300)}: cannot be written: ${fileProblem(error)}`);
  }
}
