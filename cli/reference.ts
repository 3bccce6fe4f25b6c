// Owns docs/cli.md, written from the definition of the commands.
import { DEFAULT_LIMITS } from "../index.ts";
import type { CommandModel } from "./command-model.ts";
import { EXIT_MEANINGS } from "./exit-code.ts";

const ABOUT = `# Command line

Generated from the definition of the commands (\`scripts/cli-docs.ts\`); do not edit.

stdout carries the result of a command and nothing else: for \`run\`, what the script logged, or with \`--json\` the whole result
(the \`RunResult\` of the library) with one more key, \`notes\`: a list of sentences about servers that do not work and tools that are held
back. \`--quiet\` hides progress and receipt; warnings, notes and errors stay. Output that cannot be written is an error.
Progress, receipts, warnings and errors go to stderr. Colours appear on a terminal only, never with \`NO_COLOR\`, always with
\`FORCE_COLOR\`. On a terminal, control and bidirectional characters of scripts and servers are shown as escapes; a file or
pipe gets the script's own bytes.`;

const APPROVAL = `## Approval

A call whose policy says \`ask\` is put to the person at the terminal: server, tool, arguments, reason, line. \`y\` allows it once, \`r\`
allows the tool for the rest of the run, \`n\` refuses it (a reason may follow). Calls that ask at the same time are one numbered table and one question: \`y\` and \`r\` allow
all of them, once every page was shown, \`s 1-3,7\` only these. Ctrl-C ends the run. Nobody can be asked when stdin or
stderr is no terminal, or the script itself comes from stdin: the call is then denied, with the rule that would allow it, and a run
that fails of it exits with 3. A script that catches the denial and completes exits with 0. \`--yes\` and \`--deny\` answer every
question beforehand; a deny rule is never asked about.`;

const CONFIG = `## callgate.json

JSON with comments and trailing commas. Every key is optional; an unknown one is an error.

| key | is |
|---|---|
| \`mcpServers\` (or \`servers\`) | servers by name: \`command\`, \`args\`, \`env\`, \`envFile\`, \`cwd\`, or \`url\`, \`headers\` ([configuration](configuration.md)) |
| \`policy\` | one policy, the path of a file that holds one (JSONC or YAML), or a list of these, of which later ones only tighten ([policy](policy.md)) |
| \`limits\` | bounds of one run; numbers, or texts such as \`"10s"\`, \`"64kb"\`, \`"128mb"\` |
| \`sandbox\` | \`require\`, \`jit\`, \`workers\`, \`isolation\`, \`runsPerWorker\`, \`queue\` |
| \`catalog\` | \`contextWindow\`, \`threshold\` |
| \`timeZone\` | time zone of \`Intl\` and \`toLocale…String\` in scripts; other methods of \`Date\` stay in UTC |
| \`audit\` | \`file\`, \`bodies\` (\`none\`, \`hash\`, \`redacted\`): a log of every call ([audit](audit.md)) |
| \`pins\` | \`false\`: tools are not held against the lock file beside the file: \`callgate.lock.json\` for \`callgate.json\`, \`other.lock.json\` for \`other.json\` |
| \`catalogCache\` | \`false\`: tool lists are not kept between commands, so that every command starts every server ([kept tool lists](catalog-cache.md)) |

Servers start in the folder of the file unless \`cwd\` says otherwise. A relative \`cwd\` or \`envFile\`, and a \`command\` that begins with \`./\` or \`../\`,
are taken from that folder; \`args\` are passed as they are. \`\${VAR}\` and \`\${VAR:-default}\` are looked up in the environment.`;

/** The whole document. */
export function cliReference(models: readonly CommandModel[]): string {
  const [program, ...commands] = models;
  if (program === undefined) return "";
  const parts = [
    ABOUT,
    code(program.examples),
    ...commands.map(section),
    APPROVAL,
    CONFIG,
    `## Limits\n\n${table(
      ["limit", "default"],
      Object.entries(DEFAULT_LIMITS).map(([name, value]) => [`\`${name}\``, value.toLocaleString("en-US")]),
    )}`,
    `## Exit codes\n\n${table(["code", "meaning"], EXIT_MEANINGS)}

A second Ctrl-C ends the process at once. A reader of stdout that goes away early is no error.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(model: CommandModel): string {
  const { path, description, usage, examples, options } = model;
  const given = [
    ...model.arguments.map(({ term, description: text, choices }) => [
      `\`${term}\``,
      withChoices(text, choices),
    ]),
    ...options.map(({ flags, description: text, choices, fallback }) => [
      `\`${flags}\``,
      `${withChoices(text, choices)}${fallback === undefined ? "" : ` (default ${fallback})`}`,
    ]),
  ];
  return [
    `${"#".repeat(1 + path.length)} callgate ${path.join(" ")}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    code([usage, ...(examples.length === 0 ? [] : ["", ...examples])]),
    table(["argument", "meaning"], given),
  ].join("\n\n");
}

function withChoices(text: string, choices: readonly string[]): string {
  return choices.length === 0 ? text : `${text}: ${choices.map((choice) => `\`${choice}\``).join(", ")}`;
}

function code(commandLines: readonly string[]): string {
  return `\`\`\`sh\n${commandLines.join("\n")}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [cells(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(cells)].join("\n");
}
