// Owns the definition of `callgate import`.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ImportFlags } from "./commands/import.ts";
import { HOSTS, type Host } from "./import/hosts.ts";
import { jsonOption, withExamples, type Ending } from "./options.ts";

export interface ImportHandlers {
  importServers(flags: ImportFlags): Promise<number>;
}

export function addImport(program: Command, handlers: ImportHandlers, ending: Ending): void {
  const command = program
    .command("import")
    .description(
      "add the servers of other hosts on this machine to callgate.json, shown and asked about first",
    )
    .addOption(
      new Option("-c, --config <file>", "configuration file to add them to (default: callgate.json)"),
    )
    .addOption(
      new Option("--from <host>", `only of this host: ${HOSTS.join(", ")}; may be repeated`).argParser(
        (written, before: readonly Host[] | undefined) => {
          const host = HOSTS.find((one) => one === written);
          if (host === undefined) throw new InvalidArgumentError(`expected one of ${HOSTS.join(", ")}`);
          return [...(before ?? []), host];
        },
      ),
    )
    .addOption(
      new Option("--with-secrets", "copy secrets into the file, instead of naming variables that hold them"),
    )
    .addOption(new Option("--dry-run", "show what would be added, and write nothing"))
    .addOption(new Option("--yes", "add all of them without asking").conflicts("dryRun"))
    .addOption(jsonOption())
    .action(ending(handlers.importServers));
  withExamples(command, [
    "callgate import",
    "callgate import --from cursor --from vscode --dry-run",
    "callgate import --yes --json",
  ]);
}
