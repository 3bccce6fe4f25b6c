// Owns what this process learned about which protocol era each server speaks.
import { createHash } from "node:crypto";
import type { JsonObject } from "../../contract/json.ts";
import type { McpServerConfig } from "./config.ts";

export type Era = "legacy" | "modern";

/** What an earlier process learned. `discover` spares a server of the newer era the question. */
export interface Prior {
  readonly era: Era;
  readonly discover?: JsonObject;
}

const MAX_VERDICTS = 1_000;
const verdicts = new Map<string, Era>();

/** The key of a configuration. Security: a digest, since commands, URLs and headers may hold secrets. */
export function eraKey(config: McpServerConfig): string {
  const { type, command, args, env, cwd, url, headers } = config;
  return createHash("sha256")
    .update(JSON.stringify([type, command, args, env, cwd, url, headers]))
    .digest("base64");
}

export function rememberedEra(key: string): Era | undefined {
  return verdicts.get(key);
}

export function rememberEra(key: string, era: Era): void {
  verdicts.delete(key);
  verdicts.set(key, era);
  const [oldest] = verdicts.keys();
  if (verdicts.size > MAX_VERDICTS && oldest !== undefined) verdicts.delete(oldest);
}

export function forgetEra(key: string): void {
  verdicts.delete(key);
}
