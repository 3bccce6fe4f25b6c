// Owns which values of a server's configuration are secrets that must not reach an output.
import type { McpServerConfig } from "./upstream/config.ts";

const SECRET_NAME = /token|key|secret|passw|pwd|auth|cred|cookie|session|signature|dsn|connection.?string/iu;
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "user-agent",
  "accept-language",
]);

/** Header values, and environment values whose name speaks of a secret; for `Bearer x` also `x`. */
export function secretsOf(config: McpServerConfig): readonly string[] {
  const headers = Object.entries(config.headers ?? {}).filter(
    ([name]) => !PUBLIC_HEADERS.has(name.toLowerCase()),
  );
  const env = Object.entries(config.env ?? {}).filter(([name]) => SECRET_NAME.test(name));
  const values = [...headers, ...env].map(([, value]) => value);
  return [...values, ...values.flatMap((value) => value.split(/\s+/u).slice(1))];
}
