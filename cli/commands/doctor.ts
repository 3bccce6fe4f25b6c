// Owns `callgate doctor`: whether this machine, this configuration and its servers can run scripts, and why not.
import { CallgateError, type SandboxReport, type UpstreamStatus } from "../../index.ts";
import { EXIT } from "../exit-code.ts";
import { raced } from "../interrupt.ts";
import { openGate, type Session } from "../open-gate.ts";
import { dim, green, red, yellow, type Text } from "../text/styled.ts";
import { isTrusted, trustCommandLine, type ConfigFlags, type Standing } from "../trust/require.ts";
import { visibleLine } from "../text/visible.ts";

export interface DoctorFlags extends ConfigFlags {
  readonly json?: boolean;
}

interface Diagnosis {
  readonly node: string;
  readonly config: string | null;
  /** Whether its servers may be started, and why; null without a configuration. */
  readonly trust: Standing | null;
  /** How a script that does nothing ended; null when it completed. */
  readonly isolate: string | null;
  readonly sandbox: SandboxReport;
  /** Why `sandbox.require` is not met; null when it is. */
  readonly sandboxRequired: string | null;
  readonly servers: readonly UpstreamStatus[];
  readonly notes: readonly string[];
}

const UNTRUSTED: ReadonlyMap<Standing, string> = new Map([
  ["named", "is not trusted yet"],
  ["found", "is not trusted yet"],
  ["changed", "has changed since it was trusted"],
]);

/** Resolves to 0 when all is well, 4 when the sandbox is not as required, 1 otherwise. */
export async function doctorCommand(session: Session, flags: DoctorFlags): Promise<number> {
  const diagnosis = await diagnose(session, flags);
  const { screen } = session;
  if (flags.json === true) screen.print(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else for (const line of report(diagnosis)) screen.show([line, "\n"]);
  if (diagnosis.sandboxRequired !== null) return EXIT.sandbox;
  const { trust } = diagnosis;
  if (trust !== null && !isTrusted(trust)) {
    await screen.flush();
    screen.note(dim(`to look at its servers and agree: ${trustCommandLine(flags)}`));
    return EXIT.failed;
  }
  const broken = diagnosis.isolate !== null || !diagnosis.servers.every(isWell);
  return broken ? EXIT.failed : EXIT.completed;
}

async function diagnose(session: Session, flags: DoctorFlags): Promise<Diagnosis> {
  try {
    return await examine(session, flags, false);
  } catch (error) {
    if (!CallgateError.is(error, "WORKER_START_FAILED")) throw error;
    // What the machine does offer is told by a gate that asks for nothing.
    return { ...(await examine(session, flags, true)), sandboxRequired: error.message };
  }
}

async function examine(session: Session, flags: DoctorFlags, unrequired: boolean): Promise<Diagnosis> {
  await using opened = await openGate(session, flags, { unrequired, unasked: true, refresh: true });
  const { gate, loaded, standing } = opened;
  const { signal } = session.interrupt;
  const { error } = await raced(gate.run("return 1", { signal }), signal);
  return {
    node: session.world.nodeVersion,
    config: loaded.file ?? null,
    trust: loaded.file === undefined ? null : standing,
    isolate: error === undefined ? null : `${error.code}: ${error.message}`,
    sandbox: gate.sandbox,
    sandboxRequired: null,
    servers: gate.servers(),
    notes: gate.notes,
  };
}

function report(diagnosis: Diagnosis): readonly Text[] {
  const { isolate, sandbox, sandboxRequired, servers, notes } = diagnosis;
  return [
    [mark(true), `Node ${diagnosis.node}`],
    [
      mark(isolate === null),
      isolate === null
        ? "a script runs in an isolate (isolated-vm loads)"
        : `no script runs: ${visibleLine(isolate, 600)}`,
    ],
    ...sandboxLines(sandbox),
    ...(sandboxRequired === null ? [] : [[mark(false), visibleLine(sandboxRequired, 600)]]),
    diagnosis.config === null
      ? [dim("- "), "no callgate.json here; callgate init writes one"]
      : configurationLine(diagnosis.config, diagnosis.trust),
    ...servers.flatMap(serverLines),
    ...notes.map((note): Text => [dim("- "), visibleLine(note, 300)]),
  ];
}

function configurationLine(file: string, trust: Standing | null): Text {
  const trusted = trust === null || isTrusted(trust);
  const why = trusted ? "" : `: its servers are not started, because it ${UNTRUSTED.get(trust) ?? ""}`;
  return [mark(trusted), `configuration ${visibleLine(file, 200)}${why}`];
}

function sandboxLines({ level, measures, missing }: SandboxReport): readonly Text[] {
  const met = Object.entries(measures).filter(([, how]) => how !== null);
  const sign = level === "process" ? yellow("! ") : mark(true);
  return [
    [sign, `sandbox ${level}: `, met.map(([measure, how]) => `${measure}: ${how}`).join("; ")],
    ...missing.map((why): Text => [dim("    not more, because "), visibleLine(why, 400)]),
  ];
}

function serverLines(status: UpstreamStatus): readonly Text[] {
  const { server, state, error, protocolVersion, notes, auth } = status;
  const version = protocolVersion === undefined ? "" : dim(` (MCP ${visibleLine(protocolVersion, 40)})`);
  return [
    [
      state === "connecting" ? yellow("! ") : mark(isWell(status)),
      `server ${visibleLine(server, 60)}: ${state}`,
      version,
      dim(signIn(auth)),
    ],
    ...(error === undefined ? [] : [[dim("    "), visibleLine(error, 2_000)]]),
    ...notes.map((note): Text => [dim("    "), visibleLine(note, 300)]),
  ];
}

function isWell({ state, auth }: UpstreamStatus): boolean {
  return state !== "failed" && (auth === undefined || auth.state === "signed-in");
}

function signIn(auth: UpstreamStatus["auth"]): string {
  if (auth === undefined) return "";
  const scopes = auth.scopes === undefined ? "" : ` (${visibleLine(auth.scopes.join(" "), 200)})`;
  if (auth.state === "signed-in") return ", signed in";
  return auth.state === "login-needed" ? ", not signed in" : `, scopes are missing${scopes}`;
}

function mark(fine: boolean): Text {
  return fine ? green("ok ") : red("FAIL ");
}
