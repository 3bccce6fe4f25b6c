// Builds, then runs the licence audit of examples/ as a user would: stdout carries what its script logs, nothing else.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root: string = fileURLToPath(new URL("..", import.meta.url));

try {
  // Loaded here, so that a tool of the build that is missing is told the same way.
  const { build } = await import("./build.ts");
  await build();
} catch (error) {
  const [why = ""] = (error as Error).message.split("\n", 1);
  console.error(`error: the demo cannot be built: ${why}`);
  process.exit(1);
}
const args: readonly string[] = ["run", "script.ts", "--config", "callgate.json", ...process.argv.slice(2)];
const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
  cwd: join(root, "examples/license-audit"),
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
