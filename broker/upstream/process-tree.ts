// Owns the end of a child process together with everything it started.
import { spawn as nodeSpawn } from "node:child_process";

// Security: a server must not outlive us. Groups still alive when this process exits are killed from here.
const alive = new Set<number>();
let hooked = false;

/** Registers a child that leads its own process group (`detached` on POSIX). */
export function adopt(pid: number): void {
  alive.add(pid);
  if (hooked) return;
  hooked = true;
  process.on("exit", () => {
    for (const leader of alive) signalTree(leader, "SIGKILL");
  });
}

/** The group is gone, or not ours to kill any more. */
export function release(pid: number): void {
  alive.delete(pid);
}

/**
 * Signals the whole process group; false when none of it is left. A descendant that made a session of its own
 * escapes. On Windows the tree is ended by `taskkill /T /F`, which only finds children of parents still alive.
 */
export function signalTree(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (process.platform === "win32") {
    if (signal !== 0) {
      nodeSpawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on(
        "error",
        () => {},
      );
    }
    return false;
  }
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
