// Runs every benchmark, one after the other: bench/<name>/main.ts, or those named before the options.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWorker } from "./build-worker.ts";

const bench: string = fileURLToPath(new URL("../bench", import.meta.url));
const entry = (name: string): string => join(bench, name, "main.ts");
const all: readonly string[] = readdirSync(bench).filter((name) => existsSync(entry(name)));
const named: readonly string[] = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const options: readonly string[] = process.argv.slice(2).filter((argument) => argument.startsWith("-"));

const unknown = named.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`bench: no benchmark ${JSON.stringify(unknown)}; there are ${all.join(", ")}`);
  process.exitCode = 2;
} else {
  await buildWorker();
  for (const name of named.length > 0 ? named : all) {
    console.log(`\n# ${name}\n`);
    const { status } = spawnSync(process.execPath, ["--expose-gc", entry(name), ...options], {
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
}
