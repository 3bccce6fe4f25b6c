// Owns the completion script for zsh.
import type { ArgumentModel, CommandModel, OptionModel } from "../command-model.ts";

/** One function per command, as `_arguments` wants them. */
export function zshCompletion(models: readonly CommandModel[]): string {
  return `#compdef callgate
# zsh completion for callgate
${models.map(functionOf).join("\n")}
if [ "$funcstack[1]" = "_callgate" ]; then _callgate "$@"; else compdef _callgate callgate; fi
`;
}

function functionOf(model: CommandModel): string {
  const name = functionName(model.path);
  const specs = [...model.options.flatMap(optionSpecs), ...model.arguments.map(argumentSpec)];
  if (model.children.length === 0) return `${name}() {\n  _arguments -s ${specs.join(" ")}\n}`;
  const children = model.children.map(({ name: child, description }) =>
    quoted(`${child}:${colons(description)}`),
  );
  const arms = model.children.map(
    ({ name: child }) => `    ${child}) ${functionName([...model.path, child])} ;;`,
  );
  return `${name}() {
  local line state commands
  commands=(${children.join(" ")})
  _arguments -C ${specs.join(" ")} '1: :->command' '*::argument:->rest'
  case "$state" in
    command) _describe command commands ;;
    rest) case "$line[1]" in
${arms.join("\n")}
    esac ;;
  esac
}`;
}

function optionSpecs({ names, description, value, choices }: OptionModel): readonly string[] {
  const text = `[${description.replaceAll(/[[\]]/g, "")}]`;
  const follows = value === undefined ? "" : `:${value}:${values(choices, value === "file")}`;
  return names.map((name) => quoted(`${name}${text}${follows}`));
}

function argumentSpec({ term, choices, isFile }: ArgumentModel): string {
  const many = term.includes("...") ? "*" : "";
  return quoted(`${many}:${term.replaceAll(/[[\]<>.]/g, "")}:${values(choices, isFile)}`);
}

function values(choices: readonly string[], isFile: boolean): string {
  if (choices.length > 0) return `(${choices.join(" ")})`;
  return isFile ? "_files" : " ";
}

function functionName(path: readonly string[]): string {
  return ["_callgate", ...path].join("_");
}

function colons(text: string): string {
  return text.replaceAll(":", "\\:");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
