// Owns the options of `callgate serve` as people write them. The server itself is loaded only by the command.
import type { HttpOptions, ToolName } from "../server/index.ts";
import type { ConfigFlags } from "./trust/require.ts";

export interface ServeFlags extends ConfigFlags {
  /** Absent: stdio. */
  readonly http?: Pick<HttpOptions, "host" | "port">;
  readonly tokenEnv?: string;
  readonly allowHost?: readonly string[];
  readonly tools?: readonly ToolName[];
  readonly yes?: boolean;
  readonly deny?: boolean;
}

const TOOLS: readonly ToolName[] = ["search_tools", "get_tool_details", "run_script", "call_tool"];

/** `3000`, `0.0.0.0:3000`, `[::1]:3000`; undefined for what is none. */
export function parsePlace(written: string): Pick<HttpOptions, "host" | "port"> | undefined {
  const [whole, name, address, digits = ""] =
    /^(?:([^\s:@/[\]]+):|\[([0-9a-f:.]+)\]:)?(\d{1,5})$/i.exec(written) ?? [];
  const port = Number(digits);
  if (whole === undefined || port > 65_535) return undefined;
  const host = name ?? address;
  return host === undefined ? { port } : { host, port };
}

/** `search_tools,run_script`; the name that is none otherwise. */
export function parseTools(written: string): readonly ToolName[] | { readonly unknown: string } {
  const names = written.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !(TOOLS as readonly string[]).includes(name));
  return unknown === undefined ? (names as ToolName[]) : { unknown };
}
