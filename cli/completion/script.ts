// Owns the choice of a completion script by shell.
import type { CommandModel } from "../command-model.ts";
import { UsageError } from "../usage-error.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const SCRIPTS: ReadonlyMap<string, (models: readonly CommandModel[]) => string> = new Map([
  ["bash", bashCompletion],
  ["zsh", zshCompletion],
  ["fish", fishCompletion],
]);

/** Throws UsageError for a shell it does not know. */
export function completionScript(shell: string, models: readonly CommandModel[]): string {
  const script = SCRIPTS.get(shell);
  if (script === undefined)
    throw new UsageError(`no completion for ${shell}; there is ${[...SCRIPTS.keys()].join(", ")}`);
  return script(models);
}
