// Builds, then runs one example: `example.ts <name>`; without a name, tells which there are.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root, runBuilt } from "./run-built.ts";

const folder: string = join(root, "examples");
const names: readonly string[] = readdirSync(folder).filter((name) =>
  existsSync(join(folder, name, "main.ts")),
);
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  const problem = name === undefined ? "which example?" : `no example ${JSON.stringify(name)};`;
  console.error(`error: ${problem} there are ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  await runBuilt("the example", [join(folder, name, "main.ts"), ...args], root);
}
