// Runs an example as its reader does: a process of its own, with the package as it is built.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "examples");

/** Folders of examples/. */
export const examples: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Configurations of examples start servers with `node`: that of this test. */
export function node(args: readonly string[], cwd: string = root): Printed {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...inherited } = process.env;
  const env = { ...inherited, PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter) };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  return { code: status, stdout, stderr };
}

export function readmeOf(name: string): string {
  const path = join(folder, name, "README.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The block that a README shows as the output. */
export function outputOf(name: string): string | undefined {
  return /^```text\n(.*?)^```/ms.exec(readmeOf(name))?.[1];
}
