// Owns the completion script for bash.
import type { CommandModel, OptionModel } from "../command-model.ts";

/** One case per command: its words, and what follows an option that takes a value. */
export function bashCompletion(models: readonly CommandModel[]): string {
  const paths = models.filter(({ path }) => path.length > 0).map(({ path }) => path.join(" "));
  const cases = models.map((model) => {
    const words = [
      ...model.children.map(({ name }) => name),
      ...model.options.flatMap(({ names }) => names),
      ...model.arguments.flatMap(({ choices }) => choices),
    ];
    const files = model.arguments.some(({ isFile }) => isFile) ? " files=1" : "";
    return `    ${quoted(model.path.join(" "))}) words=${quoted(words.join(" "))}${files}\n${valueCases(model.options)}      ;;`;
  });
  return `# bash completion for callgate
_callgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" words="" files="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path\${path:+ }$word" in
      ${paths.map(quoted).join("|")}) path="$path\${path:+ }$word" ;;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$files" && "$current" != -* ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _callgate callgate
`;
}

function valueCases(options: readonly OptionModel[]): string {
  const arms = options
    .filter(({ value }) => value !== undefined)
    .map(({ names, choices, value }) => {
      const action =
        choices.length > 0
          ? `words=${quoted(choices.join(" "))}; files=""`
          : value === "file"
            ? 'words=""; files=1'
            : "return";
      return `        ${names.join("|")}) ${action} ;;`;
    });
  return arms.length === 0 ? "" : `      case "$previous" in\n${arms.join("\n")}\n      esac\n`;
}

function quoted(text: string): string {
  return `"${text}"`;
}
