// Owns where the command line keeps what may be lost: the folder that each system has for it.
import { isAbsolute, join } from "node:path";
import type { World } from "./world.ts";

/** Undefined where the environment names no home. */
export function cacheFolder(
  env: World["env"],
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const root = cacheRoot(env, platform);
  return root === undefined ? undefined : join(root, "callgate");
}

function cacheRoot(env: World["env"], platform: NodeJS.Platform): string | undefined {
  const { XDG_CACHE_HOME: xdg, HOME: home, LOCALAPPDATA: local } = env;
  // A relative path would be another folder for each folder a command is run in.
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  if (platform === "win32") return local !== undefined && isAbsolute(local) ? local : undefined;
  if (home === undefined || !isAbsolute(home)) return undefined;
  return platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
}
