// Owns `callgate doctor`: whether this machine, this configuration and its servers can run scripts, and why not.
import { CallgateError, type SandboxReport, type UpstreamStatus } from "../../index.ts";
import { EXIT } from "../exit-code.ts";
import { raced } from "../interrupt.ts";
import { openGate, type Session } from "../open-gate.ts";
import { dim, green, red, yellow, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";

interface Diagnosis {
  readonly node: string;
  readonly config: string | null;
  /** How a script that does nothing ended; null when it completed. */
  readonly isolate: string | null;
  readonly sandbox: SandboxReport;
  /** Why `sandbox.require` is not met; null when it is. */
  readonly sandboxRequired: string | null;
  readonly servers: readonly UpstreamStatus[];
  readonly notes: readonly string[];
}

/** Resolves to 0 when all is well, 4 when the sandbox is not as required, 1 otherwise. */
export async function doctorCommand(
  session: Session,
  flags: { readonly config?: string; readonly json?: boolean },
): Promise<number> {
  const diagnosis = await diagnose(session, flags.config);
  const { screen } = session;
  if (flags.json === true) screen.print(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else for (const line of report(diagnosis)) screen.show([line, "\n"]);
  if (diagnosis.sandboxRequired !== null) return EXIT.sandbox;
  const broken = diagnosis.isolate !== null || diagnosis.servers.some(({ state }) => state === "failed");
  return broken ? EXIT.failed : EXIT.completed;
}

async function diagnose(session: Session, config: string | undefined): Promise<Diagnosis> {
  try {
    return await examine(session, { config });
  } catch (error) {
    if (!CallgateError.is(error, "WORKER_START_FAILED")) throw error;
    // What the machine does offer is told by a gate that asks for nothing.
    return { ...(await examine(session, { config, unrequired: true })), sandboxRequired: error.message };
  }
}

async function examine(
  session: Session,
  options: { readonly config: string | undefined; readonly unrequired?: boolean },
): Promise<Diagnosis> {
  await using opened = await openGate(session, { ...options, refresh: true });
  const { gate, loaded } = opened;
  const { signal } = session.interrupt;
  const { error } = await raced(gate.run("return 1", { signal }), signal);
  return {
    node: session.world.nodeVersion,
    config: loaded.file ?? null,
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
      : [mark(true), `configuration ${visibleLine(diagnosis.config, 200)}`],
    ...servers.flatMap(serverLines),
    ...notes.map((note): Text => [dim("- "), visibleLine(note, 300)]),
  ];
}

function sandboxLines({ level, measures, missing }: SandboxReport): readonly Text[] {
  const met = Object.entries(measures).filter(([, how]) => how !== null);
  const sign = level === "process" ? yellow("! ") : mark(true);
  return [
    [sign, `sandbox ${level}: `, met.map(([measure, how]) => `${measure}: ${how}`).join("; ")],
    ...missing.map((why): Text => [dim("    not more, because "), visibleLine(why, 400)]),
  ];
}

function serverLines({ server, state, error, protocolVersion, notes }: UpstreamStatus): readonly Text[] {
  const version = protocolVersion === undefined ? "" : dim(` (MCP ${visibleLine(protocolVersion, 40)})`);
  return [
    [mark(state !== "failed"), `server ${visibleLine(server, 60)}: ${state}`, version],
    ...(error === undefined ? [] : [[dim("    "), visibleLine(error, 2_000)]]),
    ...notes.map((note): Text => [dim("    "), visibleLine(note, 300)]),
  ];
}

function mark(fine: boolean): Text {
  return fine ? green("ok ") : red("FAIL ");
}
