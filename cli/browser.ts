// Owns the opening of a page in the person's browser.
import { spawn } from "node:child_process";
import type { World } from "./world.ts";

/** Tries to; resolves to false when there is nothing to try with. Whether a page opened cannot be known. */
export function openBrowser(url: URL, { env }: Pick<World, "env">): Promise<boolean> {
  // Security: an authorization server chose this URL; any other scheme could start any program.
  if (url.protocol !== "https:" && url.protocol !== "http:") return Promise.resolve(false);
  const [command, args] = commandFor(process.platform);
  const hasDisplay = process.platform === "darwin" || process.platform === "win32";
  if (!hasDisplay && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return Promise.resolve(false);
  return new Promise((resolve) => {
    // Security: no shell, and the URL is one argument as the URL parser wrote it.
    const child = spawn(command, [...args, url.href], {
      shell: false,
      detached: true,
      stdio: "ignore",
      env: { ...env },
    });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(platform: NodeJS.Platform): readonly [command: string, args: readonly string[]] {
  if (platform === "darwin") return ["open", []];
  if (platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler"]];
  return ["xdg-open", []];
}
