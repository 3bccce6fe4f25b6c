// Owns what the definitions of several commands share: arguments, options, examples.
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { RunLimits } from "../index.ts";
import { LimitProblem, parseLimit } from "./limits.ts";

/** Wraps the work of a command, so that its exit code is told. */
export type Ending = <A extends readonly unknown[]>(
  work: (...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

const examples = new WeakMap<Command, readonly string[]>();

/** Command lines that show a command in use. */
export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}

/** Shown in help and documentation. */
export function withExamples(command: Command, commandLines: readonly string[]): void {
  examples.set(command, commandLines);
  command.addHelpText("after", `\nExamples:\n${commandLines.map((line) => `  ${line}`).join("\n")}`);
}

export function scriptArgument(): Argument {
  return new Argument("[file]", "the script; - is standard input");
}

export function evalOption(): Option {
  return new Option("-e, --eval <script>", "the script itself, instead of a file");
}

export function configOption(): Option {
  return new Option("-c, --config <file>", "configuration file (default: callgate.json, when there is one)");
}

/** To every command that opens a configuration. */
export function addTrustOption(command: Command): void {
  if (
    command.options.some(({ long }) => long === "--config") &&
    !["config", "import"].includes(command.name())
  )
    command.option("--trust-config", "start what the configuration names, without asking for trust");
  for (const child of command.commands) addTrustOption(child);
}

export function policyOption(): Option {
  return new Option(
    "--policy <file>",
    "a further policy, JSON or YAML, that only tightens; may be repeated",
  ).argParser((written, before: readonly string[] | undefined) => [...(before ?? []), written]);
}

export function refreshOption(): Option {
  return new Option("--refresh", "ask every server for its tools, whatever is kept of them");
}

export function jsonOption(text: string = "print JSON"): Option {
  return new Option("--json", text);
}

export function serverOption(): Option {
  return new Option("--server <name>", "only tools of this server");
}

export function detailOption(fallback: string): Option {
  return new Option("--detail <level>", "how much of each tool")
    .choices(["name", "summary", "full"])
    .default(fallback);
}

export function countOption(text: string, fallback: number): Option {
  return new Option("--limit <count>", `how many ${text}, 1 to 100`)
    .default(fallback)
    .argParser((written) => {
      const count = Number(written);
      if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
      throw new InvalidArgumentError("expected a whole number from 1 to 100");
    });
}

export function limitOption(): Option {
  return new Option(
    "--limit <name=value>",
    "bound of the run, such as wallMs=10s; may be repeated",
  ).argParser((written, before: Partial<RunLimits> | undefined) => {
    try {
      const [key, value] = parseLimit(written);
      return { ...before, [key]: value };
    } catch (error) {
      throw error instanceof LimitProblem ? new InvalidArgumentError(error.message) : error;
    }
  });
}
