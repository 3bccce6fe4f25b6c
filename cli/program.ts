// Owns the one definition of all commands, from which parsing, help, completion and docs/cli.md come.
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_LIMITS } from "../index.ts";
import type { ShowFlags, VerifyFlags } from "./commands/audit.ts";
import type { CheckFlags } from "./commands/check.ts";
import type { DoctorFlags } from "./commands/doctor.ts";
import type { RunFlags } from "./commands/run.ts";
import type { ToolsFlags } from "./commands/tools.ts";
import { isTimeZone } from "./config/shape.ts";
import { EXIT_MEANINGS } from "./exit-code.ts";
import {
  configOption,
  countOption,
  detailOption,
  evalOption,
  jsonOption,
  limitOption,
  policyOption,
  refreshOption,
  scriptArgument,
  serverOption,
  addTrustOption,
  withExamples,
  type Ending,
} from "./options.ts";
import { addImport, type ImportHandlers } from "./program-import.ts";
import { addLogin, type LoginHandlers } from "./program-login.ts";
import { addPolicy, type PolicyHandlers } from "./program-policy.ts";
import { addTrust, type TrustHandlers } from "./program-trust.ts";
import type { ConfigFlags } from "./trust/require.ts";
import { parsePlace, parseTools, type ServeFlags } from "./serve-flags.ts";

/** What each command does; resolves to the exit code. */
export interface Handlers extends ImportHandlers, PolicyHandlers, TrustHandlers, LoginHandlers {
  run(file: string | undefined, flags: RunFlags): Promise<number>;
  check(file: string | undefined, flags: CheckFlags): Promise<number>;
  types(flags: ConfigFlags): Promise<number>;
  listTools(flags: ToolsFlags): Promise<number>;
  searchTools(query: string, flags: ToolsFlags): Promise<number>;
  showTools(names: readonly string[], flags: ToolsFlags): Promise<number>;
  serve(flags: ServeFlags): Promise<number>;
  verifyAudit(file: string, flags: VerifyFlags): Promise<number>;
  showAudit(file: string, flags: ShowFlags): Promise<number>;
  doctor(flags: DoctorFlags): Promise<number>;
  init(): Promise<number>;
  completion(shell: string): Promise<number>;
}

export const SHELLS: readonly string[] = ["bash", "zsh", "fish"];

/** `done` is told the exit code of the command that ran. */
export function createProgram(
  handlers: Handlers,
  options: { readonly version: string; readonly done: (code: number) => void },
): Command {
  const ending =
    <A extends readonly unknown[]>(work: (...args: A) => Promise<number>) =>
    async (...args: A): Promise<void> =>
      options.done(await work(...args));
  const program = new Command("callgate")
    .description("Runs a script that calls MCP tools: type-checked first, isolated, every call authorized.")
    .version(options.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .showHelpAfterError("(callgate --help shows how)")
    .addHelpText("after", () => `\nExit codes:\n${exitCodeLines().join("\n")}`);
  withExamples(program, [
    "callgate run script.ts",
    "callgate run -e 'console.log(await catalog.search(\"issues\"))'",
    'callgate tools search "read a file"',
    "callgate doctor",
  ]);

  const run = program
    .command("run")
    .description("run a script; stdout carries what it logs")
    .addArgument(scriptArgument())
    .addOption(evalOption())
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(
      new Option("--check <mode>", "what a type error does")
        .choices(["error", "warn", "off"])
        .default("error"),
    )
    .addOption(limitOption())
    .addOption(
      new Option("--dry-run", "make reads only, and list the calls that would be made").conflicts([
        "yes",
        "deny",
      ]),
    )
    .addOption(new Option("--yes", "approve every call that needs approval").conflicts("deny"))
    .addOption(new Option("--deny", "refuse every call that needs approval, without asking"))
    .addOption(
      jsonOption(
        "print the whole result as JSON instead of the output, with what stderr says of servers as notes",
      ),
    )
    .addOption(new Option("-q, --quiet", "no progress and no receipt on stderr; warnings and errors stay"))
    .addOption(new Option("--principal <name>", "whose run it is"))
    .addOption(
      new Option(
        "--timezone <name>",
        "time zone of Intl and toLocale…String in the script, such as Europe/Berlin; other Date methods stay in UTC",
      ).argParser(parseTimeZone),
    )
    .addOption(refreshOption())
    .addOption(new Option("--watch", "run again whenever the file changes"))
    .addOption(
      new Option(
        "--emit-dir <folder>",
        "write what the script emits, such as images, to files in this folder",
      ),
    )
    .action(ending(handlers.run));
  run.addHelpText("after", () => `\nLimits and their defaults:\n  ${limitList()}`);
  withExamples(run, [
    "callgate run script.ts --config callgate.json",
    "callgate run script.ts --limit wallMs=2m --limit calls=500",
    "cat script.ts | callgate run - --json --quiet",
    "callgate run -e 'return 6 * 7'",
    "callgate run script.ts --dry-run",
  ]);

  const check = program
    .command("check")
    .description("type-check a script against the tools; nothing runs")
    .addArgument(scriptArgument())
    .addOption(evalOption())
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(refreshOption())
    .addOption(jsonOption("print the diagnostics as JSON"))
    .action(ending(handlers.check));
  withExamples(check, ["callgate check script.ts", "callgate check script.ts --json"]);

  const types = program
    .command("types")
    .description("print TypeScript declarations of every tool, for an editor")
    .addOption(configOption())
    .addOption(refreshOption())
    .action(ending(handlers.types));
  withExamples(types, ["callgate types > callgate.d.ts"]);

  addTools(program, handlers, ending);
  addPolicy(program, handlers, ending);
  addServe(program, handlers, ending);
  addLogin(program, handlers, ending);
  addTrust(program, handlers, ending);
  addAudit(program, handlers, ending);

  const doctor = program
    .command("doctor")
    .description("say whether this machine, the configuration and its servers work, and why not")
    .addOption(configOption())
    .addOption(jsonOption())
    .action(ending(handlers.doctor));
  withExamples(doctor, ["callgate doctor", "callgate doctor --config other.json"]);

  const init = program
    .command("init")
    .description("write a commented callgate.json into this folder")
    .action(ending(() => handlers.init()));
  withExamples(init, ["callgate init"]);
  addImport(program, handlers, ending);

  const completion = program
    .command("completion")
    .description("print a completion script for a shell")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .action(ending((shell: string) => handlers.completion(shell)));
  withExamples(completion, [
    "callgate completion bash > /etc/bash_completion.d/callgate",
    "callgate completion zsh > ~/.zfunc/_callgate",
    "callgate completion fish > ~/.config/fish/completions/callgate.fish",
  ]);
  addTrustOption(program);
  return program;
}

function addTools(program: Command, handlers: Handlers, ending: Ending): void {
  const tools = program.command("tools").description("look at the tools that scripts can call");
  withExamples(tools, [
    "callgate tools",
    'callgate tools search "create issue" --detail full',
    "callgate tools show files.read_text_file",
  ]);
  tools
    .command("list", { isDefault: true })
    .description("every tool, server by server")
    .addOption(configOption())
    .addOption(serverOption())
    .addOption(detailOption("name"))
    .addOption(refreshOption())
    .addOption(jsonOption())
    .action(ending(handlers.listTools));
  tools
    .command("search")
    .description("tools by what they do, best first")
    .argument("<query>", "words, or a name")
    .addOption(configOption())
    .addOption(serverOption())
    .addOption(detailOption("summary"))
    .addOption(countOption("at most", 10))
    .addOption(refreshOption())
    .addOption(jsonOption())
    .action(ending(handlers.searchTools));
  tools
    .command("show")
    .description("the declarations of some tools")
    .argument("<names...>", "names in any spelling, such as files.read_text_file")
    .addOption(configOption())
    .addOption(serverOption())
    .addOption(detailOption("full"))
    .addOption(refreshOption())
    .addOption(jsonOption())
    .action(ending((names: readonly string[], flags: ToolsFlags) => handlers.showTools(names, flags)));
}

function addAudit(program: Command, handlers: Handlers, ending: Ending): void {
  const audit = program.command("audit").description("look at an audit log");
  const verify = audit
    .command("verify")
    .description("say whether the log is the one that was written, or which line is the first that is wrong")
    .argument("<file>", "the log")
    .addOption(new Option("--head <hash>", "a head that verify printed before: it must still be in the log"))
    .addOption(jsonOption())
    .action(ending(handlers.verifyAudit));
  withExamples(verify, ["callgate audit verify audit.jsonl"]);
  const show = audit
    .command("show")
    .description("print the log, one line per entry")
    .argument("<file>", "the log")
    .addOption(new Option("--run <id>", "only this run; the start of its id is enough"))
    .addOption(jsonOption("print JSON Lines"))
    .action(ending(handlers.showAudit));
  withExamples(show, ["callgate audit show audit.jsonl", "callgate audit show audit.jsonl --run 3f2a"]);
}

function addServe(program: Command, handlers: Handlers, ending: Ending): void {
  const serve = program
    .command("serve")
    .description("serve the tools to an MCP host, which scripts them; stdio unless --http")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(
      new Option(
        "--http <[host:]port>",
        "Streamable HTTP instead of stdio; loopback unless a host is given",
      ).argParser((written) => valid(parsePlace(written), "expected a port, or host:port")),
    )
    .addOption(
      new Option(
        "--token-env <name>",
        "variable with the bearer token; needed where others can reach the port",
      ),
    )
    .addOption(new Option("--allow-host <name...>", "further host names that requests may use"))
    .addOption(
      new Option(
        "--tools <names>",
        "which of search_tools, get_tool_details, run_script, call_tool (default: the first three)",
      ).argParser((written) => {
        const names = parseTools(written);
        if ("unknown" in names)
          throw new InvalidArgumentError(`there is no ${JSON.stringify(names.unknown)}`);
        return names;
      }),
    )
    .addOption(new Option("--yes", "approve every call that needs approval").conflicts("deny"))
    .addOption(new Option("--deny", "refuse every call that needs approval, without asking"))
    .action(ending(handlers.serve));
  withExamples(serve, [
    "callgate serve --config callgate.json",
    "callgate serve --http 3000",
    "CALLGATE_TOKEN=... callgate serve --http 0.0.0.0:3000 --token-env CALLGATE_TOKEN",
  ]);
}

function valid<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new InvalidArgumentError(otherwise);
  return value;
}

function parseTimeZone(name: string): string {
  if (!isTimeZone(name)) throw new InvalidArgumentError("expected a time zone such as Europe/Berlin");
  return name;
}

function limitList(): string {
  return Object.entries(DEFAULT_LIMITS)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n  ");
}

/** The exit codes, one a line. */
export function exitCodeLines(): readonly string[] {
  const width = Math.max(...EXIT_MEANINGS.map(([code]) => code.length));
  return EXIT_MEANINGS.map(([code, meaning]) => `  ${code.padEnd(width)}  ${meaning}`);
}
