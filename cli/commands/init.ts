// Owns `callgate init`: a configuration to begin with.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_NAME } from "../config/load.ts";
import { CONFIG_TEMPLATE } from "../config/template.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../open-gate.ts";
import { fileProblem, UsageError } from "../usage-error.ts";

/** Throws UsageError when there is a file already. */
export async function initCommand({ world, screen }: Session): Promise<number> {
  try {
    await writeFile(join(world.cwd, CONFIG_NAME), CONFIG_TEMPLATE, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new UsageError(`${CONFIG_NAME} exists already; it was left as it is`);
    throw new UsageError(`cannot write ${CONFIG_NAME}: ${fileProblem(error)}`);
  }
  screen.note(
    `wrote ${CONFIG_NAME}: name your servers in it, then try: callgate doctor, callgate tools, callgate policy check`,
  );
  return EXIT.completed;
}
