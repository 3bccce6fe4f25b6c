// Owns the running of one command line: from arguments to exit code, with everything it started ended.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { CommanderError } from "commander";
import { z } from "zod";
import { CallgateError } from "../index.ts";
import { isClosedStdout } from "./closed-stdout.ts";
import { commandModels } from "./command-model.ts";
import { showCommand as showAuditCommand, verifyCommand } from "./commands/audit.ts";
import { checkCommand } from "./commands/check.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { loginCommand, logoutCommand } from "./commands/login.ts";
import {
  policyCheckCommand,
  policyExplainCommand,
  policySchemaCommand,
  policyTestCommand,
} from "./commands/policy.ts";
import { runCommand } from "./commands/run.ts";
import { listCommand, searchCommand, showCommand } from "./commands/tools.ts";
import { trustConfigCommand } from "./commands/trust-config.ts";
import { trustCommand } from "./commands/trust.ts";
import { typesCommand } from "./commands/types.ts";
import { ownWords } from "./config/own-words.ts";
import { completionScript } from "./completion/script.ts";
import { EXIT, exitCodeOfError } from "./exit-code.ts";
import { createInterrupt, type Interrupt } from "./interrupt.ts";
import type { Session } from "./open-gate.ts";
import { createProgram, type Handlers } from "./program.ts";
import { createScreen, type Screen } from "./screen.ts";
import { errorLine } from "./text/headline.ts";
import { dim } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";
import { UsageError } from "./usage-error.ts";
import type { World } from "./world.ts";

/** Runs the command line of this process, and ends the process. */
export async function start(): Promise<void> {
  const world: World = {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    home: ownHome(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    version: await ownVersion(),
    nodeVersion: process.version,
  };
  using interrupt = createInterrupt({
    source: process,
    now: () => performance.now(),
    exitNow: (code) => process.exit(code),
  });
  const screen = createScreen(world, {
    closed: interrupt.stop,
    unopened: () => isClosedStdout(process.ppid),
  });
  const code = await runCommandLine({ world, screen, interrupt });
  await screen.flush();
  // Not left to the event loop: what a server or a library still holds open must not keep the command from ending.
  process.exit(code);
}

/** Resolves to the exit code; never rejects. */
export async function runCommandLine(session: Session): Promise<number> {
  const { world, screen, interrupt } = session;
  z.config({ customError: ownWords });
  let code: number = EXIT.completed;
  const program = createProgram(
    handlersFor(session, () => commandModels(program)),
    {
      version: world.version,
      done: (ended) => (code = ended),
    },
  );
  prepare(program, screen);
  try {
    if (world.argv.length === 0) {
      screen.note(program.helpInformation().trimEnd());
      return EXIT.usage;
    }
    await program.parseAsync([...world.argv], { from: "user" });
  } catch (error) {
    code = report(error, screen, interrupt);
  }
  await screen.flush();
  if (screen.lost !== undefined) {
    screen.note(errorLine(undefined, `what was written to stdout is lost: ${screen.lost}`));
    if (code === EXIT.completed) code = EXIT.failed;
  }
  return interrupt.exitCode ?? code;
}

function handlersFor(session: Session, models: () => ReturnType<typeof commandModels>): Handlers {
  return {
    run: (file, flags) => runCommand(session, file, flags),
    check: (file, flags) => checkCommand(session, file, flags),
    types: (flags) => typesCommand(session, flags),
    listTools: (flags) => listCommand(session, flags),
    searchTools: (query, flags) => searchCommand(session, query, flags),
    showTools: (names, flags) => showCommand(session, names, flags),
    checkPolicy: (flags) => policyCheckCommand(session, flags),
    explainPolicy: (tool, flags) => policyExplainCommand(session, tool, flags),
    testPolicy: (file, flags) => policyTestCommand(session, file, flags),
    printPolicySchema: () => policySchemaCommand(session),
    // The protocol's server side is loaded by the one command that needs it.
    serve: async (flags) => (await import("./commands/serve.ts")).serveCommand(session, flags),
    login: (server, flags) => loginCommand(session, server, flags),
    logout: (server, flags) => logoutCommand(session, server, flags),
    trust: (name, flags) => trustCommand(session, name, flags),
    trustConfig: (flags) => trustConfigCommand(session, flags),
    verifyAudit: (file, flags) => verifyCommand(session, file, flags),
    showAudit: (file, flags) => showAuditCommand(session, file, flags),
    doctor: (flags) => doctorCommand(session, flags),
    init: () => initCommand(session),
    importServers: (flags) => importCommand(session, flags),
    completion: (shell) => {
      session.screen.print(completionScript(shell, models()));
      return Promise.resolve(EXIT.completed);
    },
  };
}

function prepare(program: ReturnType<typeof createProgram>, screen: Screen): void {
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => screen.print(text),
      writeErr: (text) => screen.note(text.trimEnd()),
      outputError: (text) => screen.note(errorLine(undefined, text.replace(/^error: /, "").trimEnd())),
    });
  }
}

function report(error: unknown, screen: Screen, interrupt: Interrupt): number {
  // What breaks because it was asked to end is no news.
  if (interrupt.signal.aborted) return EXIT.completed;
  // Commander has said it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  if (error instanceof UsageError) {
    screen.note(errorLine(error.code, error.message));
    if (error.detail !== "") screen.note(error.detail);
  } else if (CallgateError.is(error)) {
    screen.note(errorLine(error.code, error.message));
  } else {
    const { stack, message } = error instanceof Error ? error : new Error(String(error));
    screen.note(errorLine("INTERNAL", visibleLine(message, 1_000)));
    screen.note(dim(`this is a bug in Callgate, please report it:\n${stack ?? ""}`));
  }
  return exitCodeOfError(error);
}

function ownHome(): string {
  try {
    return homedir();
  } catch {
    // A user id without an entry in the system's list of users, as in containers.
    return "";
  }
}

/** From the package.json beside cli/ (sources) or above dist/ (built). */
async function ownVersion(): Promise<string> {
  for (const place of ["../package.json", "../../package.json"]) {
    try {
      const text = await readFile(new URL(place, import.meta.url), "utf8");
      const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
      if (name === "callgate" && typeof version === "string") return version;
    } catch {
      // Not here; the other place has it.
    }
  }
  return "unknown";
}
