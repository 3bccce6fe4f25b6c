// Owns where other hosts keep their servers: which files, on which system, and what is in them.
import { pathsOf, type Machine } from "../places.ts";

export const HOSTS = ["claude-desktop", "claude-code", "cursor", "vscode", "windsurf"] as const;
export type Host = (typeof HOSTS)[number];

export interface HostFile {
  readonly host: Host;
  readonly path: string;
  /** `servers`: under `mcpServers` or `servers`. `claude`: also per project. `settings`: under `mcp.servers`. */
  readonly kind: "servers" | "claude" | "settings";
  /** What relative paths in it are relative to. */
  readonly folder: string;
  /** It came with the project, and may have been written by somebody else. */
  readonly isProject: boolean;
}

/** Every file that may be there, the project's own first. */
export function hostFiles(machine: Machine & { readonly cwd: string }): readonly HostFile[] {
  const { platform, home, env, cwd } = machine;
  const { isAbsolute, join } = pathsOf(machine);
  const own = (host: Host, ...parts: readonly string[]): HostFile => ({
    host,
    path: join(cwd, ...parts),
    kind: parts.at(-1) === "settings.json" ? "settings" : "servers",
    folder: cwd,
    isProject: true,
  });
  const project = [
    own("claude-code", ".mcp.json"),
    own("cursor", ".cursor", "mcp.json"),
    own("vscode", ".vscode", "mcp.json"),
    own("vscode", ".vscode", "settings.json"),
  ];
  if (!isAbsolute(home)) return project;
  const named = platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
  const fallback =
    platform === "win32"
      ? join(home, "AppData", "Roaming")
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : join(home, ".config");
  // Of macOS: applications there look at no variable.
  const settings = platform !== "darwin" && named !== undefined && isAbsolute(named) ? named : fallback;
  const user = (host: Host, kind: HostFile["kind"], path: string): HostFile => ({
    host,
    path,
    kind,
    folder: home,
    isProject: false,
  });
  return [
    ...project,
    user("claude-code", "claude", join(home, ".claude.json")),
    user("claude-desktop", "servers", join(settings, "Claude", "claude_desktop_config.json")),
    user("cursor", "servers", join(home, ".cursor", "mcp.json")),
    user("vscode", "servers", join(settings, "Code", "User", "mcp.json")),
    user("vscode", "settings", join(settings, "Code", "User", "settings.json")),
    user("windsurf", "servers", join(home, ".codeium", "windsurf", "mcp_config.json")),
  ];
}
