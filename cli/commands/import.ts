// Owns `callgate import`: servers of other hosts into this configuration, shown and asked about first. Nothing is started.
import { dirname, resolve } from "node:path";
import { CONFIG_NAME, loadConfig, type LoadedConfig } from "../config/load.ts";
import { answered, canAsk, confirmed } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { findServers, type Finding } from "../import/find.ts";
import { HOSTS, type Host } from "../import/hosts.ts";
import { planOf, type Planned } from "../import/plan.ts";
import { planData, planRows } from "../import/shown.ts";
import { addServers, readBefore, type Before } from "../import/write.ts";
import type { Session } from "../open-gate.ts";
import { isEntry } from "../servers/entry.ts";
import { counted } from "../text/amount.ts";
import { dim, green } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { judge, remembered } from "../trust/require.ts";
import { fileProblem, UsageError, withCode } from "../usage-error.ts";

export interface ImportFlags {
  readonly config?: string;
  readonly from?: readonly Host[];
  readonly withSecrets?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Target {
  readonly path: string;
  readonly file: string;
  readonly before: Before;
  /** Undefined when the file is to be made. */
  readonly loaded: LoadedConfig | undefined;
}

/** Resolves to 0 when what was agreed to is written or there is nothing to add, to 1 when the answer was no. */
export async function importCommand(session: Session, flags: ImportFlags): Promise<number> {
  const { world, screen } = session;
  const target = await targetOf(session, flags.config);
  const finding = await findServers(world, flags.from);
  const plan = planOf(finding.found, {
    existing: target.loaded?.source?.servers ?? {},
    target: dirname(target.path),
    machine: world,
    withSecrets: flags.withSecrets === true,
  });
  const adding = plan.filter(({ action }) => action === "add");
  const asks = adding.length > 0 && flags.dryRun !== true && flags.yes !== true;
  if (flags.json !== true) await show(session, plan, finding, target);
  if (asks && !canAsk(world)) {
    if (flags.json === true) print(session, target, plan, finding, []);
    await screen.flush();
    throw new UsageError("nothing was written: there is no terminal to ask at; --yes imports what is shown");
  }
  const chosen = asks ? await choose(session, adding) : flags.dryRun === true ? [] : adding;
  // Security: --yes to whatever a project brought along is not a look at it; and what only looks like a secret, and so
  // was not shown, may be what is run.
  const shownWhole = asks && flags.withSecrets !== true;
  const seen = shownWhole || !chosen.some(({ found }) => found.isProject);
  if (chosen.length > 0) await write(session, target, chosen, seen);
  if (flags.json === true) print(session, target, plan, finding, chosen);
  if (adding.length === 0 || flags.dryRun === true) return EXIT.completed;
  if (chosen.length === 0) {
    screen.note("nothing was imported");
    return EXIT.failed;
  }
  tell(session, target, chosen);
  return EXIT.completed;
}

async function targetOf({ world }: Session, config: string | undefined): Promise<Target> {
  const path = resolve(world.cwd, config ?? CONFIG_NAME);
  const file = visibleLine(config ?? CONFIG_NAME, 200);
  if (/\.ya?ml$/i.test(path)) throw new UsageError(`${file}: servers are imported into JSON files only`);
  const before = await readBefore(path).catch((error: unknown) => {
    throw new UsageError(`${file}: ${fileProblem(error)}`);
  });
  if (before === undefined) return { path, file, before, loaded: undefined };
  const loaded = await loadConfig({ cwd: world.cwd, file: config ?? CONFIG_NAME }).catch((error: unknown) => {
    throw withCode(error, "CONFIG_INVALID");
  });
  return { path, file, before, loaded };
}

async function show(
  { world, screen }: Session,
  plan: readonly Planned[],
  finding: Finding,
  { file, before }: Target,
): Promise<void> {
  const count = plan.filter(({ action }) => action === "add").length;
  if (plan.length === 0) screen.note(`no servers found; looked for ${HOSTS.join(", ")}`);
  else if (count === 0) screen.note("nothing to add");
  else
    screen.show([
      `${counted(count, "server")} for ${file}${before === undefined ? ", which is made" : ""}\n`,
    ]);
  for (const row of planRows(plan, finding.problems, world.stdout.columns || 80)) screen.show([row, "\n"]);
  await screen.flush();
}

/** All of them, none, or one after the other. */
async function choose(session: Session, adding: readonly Planned[]): Promise<readonly Planned[]> {
  for (;;) {
    const question = `import ${adding.length === 1 ? "it" : `all ${adding.length}`}? [y/n${adding.length === 1 ? "" : ", p = pick"}] `;
    const answer = (await answered(session, question)).trim().toLowerCase();
    if (answer === "y" || answer === "yes") return adding;
    if (answer !== "p" || adding.length === 1) return [];
    const picked: Planned[] = [];
    for (const one of adding)
      if (await confirmed(session, `import ${visibleLine(one.name, 128)}?`)) picked.push(one);
    return picked;
  }
}

async function write(
  session: Session,
  target: Target,
  chosen: readonly Planned[],
  seen: boolean,
): Promise<void> {
  const { path, before, loaded } = target;
  const standing = loaded === undefined ? "nothing" : (await judge(session.world, loaded, {})).standing;
  const value = loaded?.value;
  const key = isEntry(value) && Object.hasOwn(value, "servers") ? "servers" : "mcpServers";
  await addServers(path, before, key, new Map(chosen.map(({ name, entry }) => [name, entry ?? {}])));
  // What was in the file before is not agreed to by agreeing to what is added.
  if (!seen || (standing !== "nothing" && standing !== "agreed")) return;
  const now = await loadConfig({ cwd: dirname(path), file: path });
  await remembered(session, await judge(session.world, now, {}));
}

function tell({ screen }: Session, { file }: Target, chosen: readonly Planned[]): void {
  const variables = [...new Set(chosen.flatMap((one) => one.variables))];
  screen.note(green(`${counted(chosen.length, "server")} added to ${file}`));
  if (variables.length === 0) return;
  screen.note(`they need variables that hold what was not copied: ${variables.join(", ")}`);
  screen.note(dim("--with-secrets copies secrets into the file instead"));
}

function print(
  { screen }: Session,
  { path }: Target,
  plan: readonly Planned[],
  { files, problems }: Finding,
  chosen: readonly Planned[],
): void {
  const servers = planData(plan).map((one, index) => ({
    ...one,
    written: chosen.includes(plan[index] as Planned),
  }));
  screen.print(`${JSON.stringify({ config: path, files, servers, problems }, null, 2)}\n`);
}
