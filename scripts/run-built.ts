// Builds, then runs a file under this Node: its stdout, exit code and signals are those of the task.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("..", import.meta.url));

/** Ends the process when the build fails, saying that `what` cannot be built. */
export async function runBuilt(what: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    // Loaded here, so that a tool of the build that is missing is told the same way.
    const { build } = await import("./build.ts");
    await build();
  } catch (error) {
    const [why = ""] = (error as Error).message.split("\n", 1);
    console.error(`error: ${what} cannot be built: ${why}`);
    process.exit(1);
  }
  const child = spawn(process.execPath, args, { cwd, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "close")) as [number | null];
  process.exitCode = code ?? 1;
}
