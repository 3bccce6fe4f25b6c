// Files of other hosts on a person's machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder } from "./support.ts";
import { machine, type Machine } from "./trust-support.ts";

export interface Desk extends Machine {
  /** Where the command runs. */
  readonly cwd: string;
  /** Writes a file below the home folder (`~/…`) or the project. */
  put(path: string, content: unknown): string;
}

export function desk(): Desk {
  const person = machine();
  const cwd = folder();
  return {
    home: person.home,
    env: { ...person.env, XDG_CONFIG_HOME: "", APPDATA: "" },
    cwd,
    put(path, content) {
      const whole = path.startsWith("~/") ? join(person.home, path.slice(2)) : join(cwd, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content));
      return whole;
    },
  };
}

export const CURSOR = "~/.cursor/mcp.json";
export const WINDSURF = "~/.codeium/windsurf/mcp_config.json";
export const servers = (mcpServers: object): object => ({ mcpServers });
