// Builds, then runs the licence audit of examples/ as a user would: stdout carries what its script logs, nothing else.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.ts";

const root: string = fileURLToPath(new URL("..", import.meta.url));

await build();
const args: readonly string[] = ["run", "script.ts", "--config", "callgate.json", ...process.argv.slice(2)];
const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
  cwd: join(root, "examples/license-audit"),
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
