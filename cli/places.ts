// Owns where this program keeps what it remembers about a person's machine, outside of every project.
import { posix, win32 } from "node:path";
import type { World } from "./world.ts";

export type Machine = Pick<World, "platform" | "home" | "env">;

/** Path functions of the machine that is meant, which in tests need not be this one. */
export function pathsOf({ platform }: Pick<Machine, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/**
 * `$XDG_STATE_HOME/callgate`, else `~/.local/state/callgate`; `~/Library/Application Support/callgate` on macOS,
 * `%LOCALAPPDATA%\callgate` on Windows. Undefined when the machine has no home folder.
 */
export function stateFolder(machine: Machine): string | undefined {
  const { platform, home, env } = machine;
  const { isAbsolute, join } = pathsOf(machine);
  const named = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_STATE_HOME"];
  // Security: a relative folder would be inside whatever project the command runs in.
  if (named !== undefined && isAbsolute(named)) return join(named, "callgate");
  if (!isAbsolute(home)) return undefined;
  if (platform === "win32") return join(home, "AppData", "Local", "callgate");
  if (platform === "darwin") return join(home, "Library", "Application Support", "callgate");
  return join(home, ".local", "state", "callgate");
}
