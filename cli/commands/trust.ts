// Owns `callgate trust`: showing how tools changed since they were accepted, and accepting them as they are now.
import { CallgateError, type DiffLine, type PinChange } from "../../index.ts";
import { toolName } from "../call-table.ts";
import { canAsk, confirmed } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { openGate, type Session } from "../open-gate.ts";
import { counted } from "../text/amount.ts";
import { bold, dim, green, red, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import type { ConfigFlags } from "../trust/require.ts";
import { fileProblem, UsageError } from "../usage-error.ts";

export interface TrustFlags extends ConfigFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Resolves to 0 when nothing is held back any more of what was named, else to 1. Without a name it only shows. */
export async function trustCommand(
  session: Session,
  name: string | undefined,
  flags: TrustFlags,
): Promise<number> {
  const { screen } = session;
  if (name !== undefined && flags.all === true) throw new UsageError("--all and a name exclude each other");
  const choosing = name !== undefined || flags.all === true;
  if (flags.yes === true && !choosing)
    throw new UsageError("--yes needs the name of a server or tool, or --all");
  await using opened = await openGate(session, flags, { refresh: true });
  const { gate } = opened;
  const { pins } = gate;
  if (pins === undefined)
    throw new UsageError("no tools are pinned: there is no callgate.json, or it says so");
  const changes = pins.changes();
  const chosen = name === undefined ? changes : changes.filter((change) => isNamed(change, name));
  if (name !== undefined && chosen.length === 0) {
    const failed = gate.servers().find(({ server, state }) => server === name && state === "failed");
    if (failed !== undefined)
      throw new UsageError(
        `${visibleLine(name, 80)} is not available: ${visibleLine(failed.error ?? "", 400)}`,
      );
    const tools = gate.servers().map(({ server }) => server);
    if (!tools.some((server) => name === server || name.startsWith(`${server}.`)))
      throw new UsageError(`no server ${visibleLine(name, 80)}; configured: ${tools.join(", ") || "none"}`);
  }
  const absent = name === undefined ? gate.servers().filter(({ state }) => state === "failed") : [];
  for (const { server } of absent)
    screen.note(yellow(`${visibleLine(server, 60)} is not available, so its tools were not looked at`));
  if (chosen.length === 0) {
    screen.note(green("nothing is held back"));
    return absent.length === 0 ? EXIT.completed : EXIT.failed;
  }
  for (const change of chosen) for (const line of changeLines(change)) screen.show([line, "\n"]);
  await screen.flush();
  if (!choosing) {
    screen.note("to accept: callgate trust <server>, callgate trust <server.tool>, or --all");
    return EXIT.failed;
  }
  if (flags.yes !== true && !(await agreed(session, chosen.length))) {
    screen.note("nothing was accepted");
    return EXIT.failed;
  }
  const count = await pins.accept(chosen).catch((error: unknown) => {
    if (CallgateError.is(error)) throw error;
    throw new UsageError(
      `${visibleLine(opened.loaded.lockFile ?? "", 300)}: cannot be written: ${fileProblem(error)}`,
    );
  });
  screen.note(green(`accepted ${counted(count, "definition")}`));
  if (count === chosen.length) return EXIT.completed;
  screen.note(yellow("the others changed again meanwhile: look again"));
  return EXIT.failed;
}

function isNamed({ server, tool }: PinChange, name: string): boolean {
  return name === server || name === `${server}.${tool}`;
}

function changeLines(change: PinChange): readonly Text[] {
  return [[bold(toolName(change)), ": ", visibleLine(change.reason, 300)], ...change.diff.map(diffText), ""];
}

function diffText({ sign, text }: DiffLine): Text {
  const line = `  ${sign} ${visibleLine(text, 4_000)}`;
  if (sign === "+") return green(line);
  return sign === "-" ? red(line) : dim(line);
}

async function agreed(session: Session, count: number): Promise<boolean> {
  if (!canAsk(session.world))
    throw new UsageError("there is no terminal to ask at; --yes accepts what is shown");
  return await confirmed(session, `accept ${counted(count, "definition")}?`);
}
