// Owns the question whether a configuration may start what it names, and who is asked.
import type { LoadedConfig } from "../config/load.ts";
import { canAsk, confirmed } from "../confirm.ts";
import type { Session } from "../open-gate.ts";
import { stateFolder, pathsOf } from "../places.ts";
import { quoted, serverRows } from "../servers/shown.ts";
import { counted } from "../text/amount.ts";
import { warningLine } from "../text/headline.ts";
import { dim, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { fileProblem, UsageError } from "../usage-error.ts";
import type { World } from "../world.ts";
import { startupOf, type Startup } from "./startup.ts";
import { createTrustStore, type TrustStore } from "./store.ts";

/** Options of commands that open a configuration. */
export interface ConfigFlags {
  readonly config?: string;
  readonly policy?: readonly string[];
  readonly refresh?: boolean;
  readonly trustConfig?: boolean;
}

/**
 * `nothing` to start; `vouched` for on this command line or in CALLGATE_TRUST; `agreed` to before; `named` on the
 * command line and never agreed to; `found` in the folder and never agreed to; `changed` since it was agreed to.
 */
export type Standing = "nothing" | "vouched" | "agreed" | "named" | "found" | "changed";

export function isTrusted(standing: Standing): boolean {
  return standing === "nothing" || standing === "vouched" || standing === "agreed";
}

export interface Judged {
  readonly standing: Standing;
  /** Undefined when there is nothing to start. */
  readonly startup: Startup | undefined;
  /** Undefined when there is no home folder to keep it in. */
  readonly store: TrustStore | undefined;
}

/** Reads what was agreed to before; asks nobody. Throws UsageError for a CALLGATE_TRUST that means nothing. */
export async function judge(
  world: World,
  loaded: Pick<LoadedConfig, "source">,
  flags: ConfigFlags,
): Promise<Judged> {
  const vouched = vouchedFor(world.env);
  const startup = await startupOf(loaded);
  const folder = stateFolder(world);
  const store =
    folder === undefined ? undefined : createTrustStore(pathsOf(world).join(folder, "trusted.json"));
  const standing = async (): Promise<Standing> => {
    if (startup === undefined) return "nothing";
    if (flags.trustConfig === true || vouched === "all" || vouched.includes(startup.sha256)) return "vouched";
    const known = (await store?.hashesOf(startup.path)) ?? [];
    if (known.includes(startup.sha256)) return "agreed";
    if (known.length > 0) return "changed";
    return flags.config === undefined ? "found" : "named";
  };
  return { standing: await standing(), startup, store };
}

/**
 * Resolves when the configuration may start its servers, to why. A person at a terminal is shown them and asked; without one, a
 * file that was named on the command line is agreed to as it is now, once. Throws UsageError, code CONFIG_UNTRUSTED; `unasked` resolves to what it is instead of asking or throwing.
 */
export async function requireTrust(
  session: Session,
  loaded: LoadedConfig,
  flags: ConfigFlags,
  options: { readonly unasked?: boolean } = {},
): Promise<Standing> {
  const { world, screen } = session;
  const judged = await judge(world, loaded, flags);
  const { standing, startup } = judged;
  if (startup === undefined || isTrusted(standing)) return standing;
  if (options.unasked === true && (standing !== "named" || canAsk(world))) return standing;
  const file = visibleLine(loaded.file ?? "", 200);
  if (canAsk(world)) {
    screen.note([yellow("trust needed: "), sentence(judged, file)]);
    for (const row of serverRows(startup.servers, world.stderr.columns || 80)) screen.note(row);
    if (!(await confirmed(session, "start these, now and later?"))) throw refused(judged, file, flags, []);
    await remembered(session, judged);
    return "agreed";
  }
  if (standing !== "named") throw refused(judged, file, flags, serverRows(startup.servers, 120));
  const names = Object.keys(startup.servers)
    .slice(0, 8)
    .map((name) => visibleLine(name, 60));
  const more = Object.keys(startup.servers).length - names.length;
  const list = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  screen.note(dim(`note: ${file} is trusted as it is now, since --config names it; it starts ${list}`));
  await remembered(session, judged);
  return "agreed";
}

/** Keeps an agreement. One that cannot be kept still holds for this command, with a warning. */
export async function remembered({ screen, interrupt }: Session, { startup, store }: Judged): Promise<void> {
  try {
    if (store === undefined) throw new Error("there is no home folder");
    if (startup !== undefined) await store.add(startup.path, startup.sha256, interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) throw error;
    const where = store === undefined ? "" : `${visibleLine(store.file, 300)}: `;
    screen.note(
      warningLine(undefined, `this trust is not remembered: ${where}${visibleLine(fileProblem(error), 300)}`),
    );
  }
}

/** What is known of the configuration, as a sentence without its end. */
export function sentence({ standing, startup }: Judged, file: string): string {
  const starts = `starts ${counted(Object.keys(startup?.servers ?? {}).length, "server")}`;
  if (standing === "changed") return `${file} ${starts}, and has changed since that was agreed to`;
  return `${file} ${starts}, and nobody has agreed to that yet`;
}

/** The command line of `callgate trust config` for the same file. */
export function trustCommandLine({ config }: ConfigFlags): string {
  return `callgate trust config${config === undefined ? "" : ` --config ${visibleLine(quoted(config), 400)}`}`;
}

function refused(judged: Judged, file: string, flags: ConfigFlags, rows: readonly Text[]): UsageError {
  const way = dim(`  to agree: ${trustCommandLine(flags)}   (in CI: --trust-config)`);
  const detail = [...rows, way].flatMap((row, index): readonly Text[] => (index === 0 ? [row] : ["\n", row]));
  return new UsageError(sentence(judged, file), detail, "CONFIG_UNTRUSTED");
}

function vouchedFor(env: World["env"]): "all" | readonly string[] {
  const written = env["CALLGATE_TRUST"] ?? "";
  if (written === "all") return "all";
  const hashes = written.split(",").map((hash) => hash.trim().toLowerCase());
  if (written.trim() === "") return [];
  if (hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))) return hashes;
  throw new UsageError(
    'CALLGATE_TRUST: expected the hash that "callgate trust config" shows, several with commas between, or all',
  );
}
