// Owns the completion script for fish.
import type { CommandModel } from "../command-model.ts";

/** One line per word that can follow. */
export function fishCompletion(models: readonly CommandModel[]): string {
  const lines = models.flatMap((model) => {
    const when = condition(model);
    const start = `complete -c callgate -n ${quoted(when)}`;
    return [
      ...(model.arguments.some(({ isFile }) => isFile) ? [] : [`${start} -f`]),
      ...model.children.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
      ...model.arguments
        .filter(({ choices }) => choices.length > 0)
        .map(({ choices }) => `${start} -a ${quoted(choices.join(" "))}`),
      ...model.options.map(({ names, description, value, choices }) => {
        const flags = names.map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const takes =
          value === undefined
            ? ""
            : choices.length > 0
              ? ` -x -a ${quoted(choices.join(" "))}`
              : value === "file"
                ? " -r -F"
                : " -x";
        return `${start} ${flags.join(" ")}${takes} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# fish completion for callgate\n${lines.join("\n")}\n`;
}

function condition({ path, children }: CommandModel): string {
  const [last] = path.slice(-1);
  if (last === undefined) return "__fish_use_subcommand";
  const inside = path.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
  if (children.length === 0) return inside;
  return `${inside}; and not __fish_seen_subcommand_from ${children.map(({ name }) => name).join(" ")}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
