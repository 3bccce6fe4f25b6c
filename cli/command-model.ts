// Owns the commands as plain data, read off the one definition for completion and documentation.
import type { Command } from "commander";
import { examplesOf } from "./options.ts";

export interface OptionModel {
  /** As help writes it: `-c, --config <file>`. */
  readonly flags: string;
  /** `-c` and `--config`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly choices: readonly string[];
  /** What its value is called; undefined for a switch. */
  readonly value: string | undefined;
  readonly fallback: string | undefined;
}

export interface ArgumentModel {
  /** As usage writes it: `[file]`. */
  readonly term: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

export interface CommandModel {
  /** Words after `callgate`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly usage: string;
  readonly options: readonly OptionModel[];
  readonly arguments: readonly ArgumentModel[];
  /** Names of the commands below it. */
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly examples: readonly string[];
}

/** Every command, parents before children. */
export function commandModels(command: Command, path: readonly string[] = []): readonly CommandModel[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const model: CommandModel = {
    path,
    description: command.description(),
    usage: help.commandUsage(command),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      choices: option.argChoices ?? [],
      value: /[<[](.+?)[\]>]/.exec(option.flags)?.[1],
      fallback: textOf(option.defaultValue),
    })),
    arguments: command.registeredArguments.map((argument) => ({
      term: help.argumentTerm(argument),
      description: argument.description,
      choices: argument.argChoices ?? [],
      isFile: argument.name() === "file",
    })),
    children: children.map((child) => ({ name: child.name(), description: child.description() })),
    examples: examplesOf(command),
  };
  return [model, ...children.flatMap((child) => commandModels(child, [...path, child.name()]))];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
