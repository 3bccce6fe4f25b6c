// Owns the `mcpServers` shape: what an entry may say, and what it means once variables are expanded.
import { z } from "zod";
import { CallgateError } from "../../contract/error.ts";
import {
  hasOwnToken,
  mayGetTokens,
  oauthProblem,
  openOAuth,
  readOAuth,
  unknownOAuthKeys,
  type OAuthConfig,
} from "./auth/oauth-config.ts";
import { readEnvFile } from "./env-file.ts";
import { ownWords } from "../own-words.ts";
import { expand, isPlainName, type Environment } from "./expand.ts";
import { printable } from "./printable.ts";
import type { RateLimit } from "./rate.ts";

/** One server of `mcpServers`: `command` starts a process, `url` names an HTTP server. */
export interface McpServerConfig {
  /** Derived from `command` or `url` when absent; with a bare `url`, Streamable HTTP is tried before SSE. */
  readonly type?: "stdio" | "http" | "streamable-http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  /** Added to the few variables every server gets (PATH, HOME and the like). */
  readonly env?: Readonly<Record<string, string>>;
  /** File of `NAME=value` lines, for what `env` does not name; a server whose file cannot be read is not started. */
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How to get tokens, where a sign-in alone is not enough. */
  readonly oauth?: OAuthConfig;
  /** Lets the URL, and what it redirects or refers to, be at a private address (docs/authorization.md). @defaultValue false */
  readonly allowPrivate?: boolean;
  /** Left out altogether. */
  readonly disabled?: boolean;
  /** Upper bound of one request without progress, ms; a call takes the smaller of this and its own limit. */
  readonly timeout?: number;
  /** Calls at one time; more wait. @defaultValue 64 */
  readonly concurrency?: number;
  /** At most so many calls in any such time; more wait, or fail at once when the wait is longer than they may take. */
  readonly rateLimit?: RateLimit;
  /** Protocol era: `auto` asks the server once. @defaultValue "auto" */
  readonly protocolEra?: "auto" | "legacy" | "modern";
}

/** What may be said about a server in a message, and what may not. */
interface Printing {
  /** Command or URL as written, before expansion. */
  readonly label: string;
  /** Values to scrub from messages. */
  readonly secrets: readonly string[];
}

const SECRET_NAME = /key|token|secret|pass|auth|cred/i;
const printing = new WeakMap<McpServerConfig, Printing>();

/** How to name a server's command or URL in messages, and which values never to print. */
export function printingOf(config: McpServerConfig): Printing {
  const label = config.command ?? withoutQuery(config.url ?? "");
  return printing.get(config) ?? { label: printable(label), secrets: secretsOf(config) };
}

/** Values written down as they are, in places where secrets are put. */
function secretsOf(config: McpServerConfig): string[] {
  const named = Object.entries(config.env ?? {}).filter(([name]) => SECRET_NAME.test(name));
  const { clientSecret, privateKey } = config.oauth ?? {};
  const values = [
    ...Object.values(config.headers ?? {}),
    ...named.map(([, value]) => value),
    ...[clientSecret, privateKey].filter((value) => value !== undefined),
  ];
  // Of `Bearer x` also `x`, which a server may repeat alone.
  return [...values, ...values.flatMap((value) => value.split(/\s+/).slice(1))];
}

export interface ParsedServers {
  readonly servers: ReadonlyMap<string, McpServerConfig>;
  /** Servers that cannot be used as configured, and why; the others are not affected. */
  readonly failed: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const entrySchema = z.object({
  type: z.enum(["stdio", "http", "streamable-http", "streamableHttp", "sse"]).optional(),
  command: z.string().min(1).optional(),
  args: z.array(scalar).optional(),
  env: z.record(z.string(), scalar).optional(),
  envFile: z.string().min(1).optional(),
  cwd: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
  serverUrl: z.string().min(1).optional(),
  headers: z.record(z.string(), scalar).optional(),
  oauth: z.unknown().optional(),
  allowPrivate: z.boolean().optional(),
  disabled: z.boolean().optional(),
  timeout: z.number().int().min(1).max(2_147_483_647).optional(),
  concurrency: z.number().int().min(1).max(10_000).optional(),
  rateLimit: z
    .strictObject({
      calls: z.number().int().min(1).max(10_000),
      perMs: z.number().int().min(1).max(86_400_000),
    })
    .optional(),
  protocolEra: z.enum(["auto", "legacy", "modern"]).optional(),
});
type Entry = z.infer<typeof entrySchema>;
const KNOWN = new Set(Object.keys(entrySchema.shape));

/**
 * Reads a `mcpServers` object and expands `${VAR}`, `${VAR:-default}`, `${env:VAR}` in command, args, env, envFile, cwd,
 * url and headers. A server that needs an unset variable lands in `failed`; disabled ones are left out; unknown keys warn.
 * Throws `CONFIG_INVALID` with the path inside the object. No message holds an expanded value.
 */
export function parseServers(value: unknown, options: { readonly env: Environment }): ParsedServers {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("mcpServers", `expected an object of servers, got ${kindOf(value)}`);
  }
  const servers = new Map<string, McpServerConfig>();
  const failed = new Map<string, string>();
  const warnings: string[] = [];
  for (const [name, raw] of Object.entries(value)) {
    const path = `mcpServers.${printable(name, 64)}`;
    if (name.length === 0 || name.length > 128 || printable(name, 128) !== name) {
      throw invalid(path, "a server name has 1 to 128 printable characters");
    }
    const entry = parseEntry(raw, path);
    const unknown = Object.keys(raw as object).filter((key) => !KNOWN.has(key));
    for (const key of [...unknown, ...unknownOAuthKeys(entry.oauth).map((key) => `oauth.${key}`)]) {
      warnings.push(`${path}: unknown key ${JSON.stringify(printable(key, 64))} is ignored`);
    }
    if (entry.disabled === true) continue;
    const outcome = settle(entry, options.env);
    if (typeof outcome === "string") failed.set(name, outcome);
    else servers.set(name, outcome);
  }
  return { servers, failed, warnings };
}

function parseEntry(raw: unknown, path: string): Entry {
  const parsed = entrySchema.safeParse(raw, { error: ownWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const inside = (issue?.path ?? []).map((part) =>
      typeof part === "number" ? `[${part}]` : `.${printable(String(part), 64)}`,
    );
    throw invalid(`${path}${inside.join("")}`, printable(issue?.message ?? "invalid"));
  }
  const { command, url, serverUrl, type } = parsed.data;
  const address = url ?? serverUrl;
  if (command !== undefined && address !== undefined) {
    throw invalid(path, "has both command and url; keep the one that says how to reach the server");
  }
  if (command === undefined && address === undefined) throw invalid(path, "needs a command or a url");
  if (type !== undefined && (type === "stdio") !== (command !== undefined)) {
    throw invalid(`${path}.type`, `"${type}" needs a ${type === "stdio" ? "command" : "url"}`);
  }
  return parsed.data;
}

/** The expanded configuration, or why this server cannot be used. */
function settle(entry: Entry, environment: Environment): McpServerConfig | string {
  const secrets: string[] = [];
  let problem: string | undefined;
  const open = (text: string, where: string): string => {
    const expansion = expand(text, environment);
    secrets.push(...expansion.used);
    if (expansion.problem !== undefined) problem ??= `${where}: ${expansion.problem}`;
    return expansion.text;
  };
  const openAll = (record: Record<string, string>, where: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(record).map(([key, text]) => [key, open(text, `${where}.${printable(key, 64)}`)]),
    );
  const fromFile = (path: string): Record<string, string> => {
    const opened = open(path, "envFile");
    if (problem !== undefined) return {};
    const { values, problem: why } = readEnvFile(opened);
    if (why !== undefined) problem = `envFile: ${printable(path)}: ${why}`;
    for (const [name, value] of values) if (!isPlainName(name)) secrets.push(value);
    return Object.fromEntries(values);
  };
  const address = entry.url ?? entry.serverUrl;
  const oauth = entry.oauth === undefined ? undefined : readOAuth(entry.oauth);
  if (typeof oauth === "string") return oauth;
  const own = entry.env === undefined ? {} : openAll(entry.env, "env");
  const file = entry.command === undefined ? undefined : entry.envFile;
  const env = file === undefined ? own : { ...fromFile(file), ...own };
  const config: McpServerConfig = {
    ...(entry.command === undefined ? {} : { command: open(entry.command, "command") }),
    ...(entry.args === undefined ? {} : { args: entry.args.map((text, at) => open(text, `args[${at}]`)) }),
    ...(entry.env === undefined && file === undefined ? {} : { env }),
    ...(entry.cwd === undefined ? {} : { cwd: open(entry.cwd, "cwd") }),
    ...(address === undefined ? {} : { url: open(address, "url") }),
    ...(entry.headers === undefined ? {} : { headers: openAll(entry.headers, "headers") }),
    ...(oauth === undefined ? {} : { oauth: openOAuth(oauth, open) }),
    ...(entry.allowPrivate === undefined ? {} : { allowPrivate: entry.allowPrivate }),
    ...(entry.type === undefined ? {} : { type: entry.type === "streamableHttp" ? "http" : entry.type }),
    ...(entry.timeout === undefined ? {} : { timeout: entry.timeout }),
    ...(entry.concurrency === undefined ? {} : { concurrency: entry.concurrency }),
    ...(entry.rateLimit === undefined ? {} : { rateLimit: entry.rateLimit }),
    ...(entry.protocolEra === undefined ? {} : { protocolEra: entry.protocolEra }),
  };
  problem ??= problemOf(config);
  if (problem !== undefined) return problem;
  printing.set(config, {
    label: printable(entry.command ?? withoutQuery(address ?? "")),
    secrets: [...secrets, ...secretsOf(config)],
  });
  return config;
}

function problemOf(config: McpServerConfig): string | undefined {
  const nul = [config.command, ...(config.args ?? []), ...Object.values(config.env ?? {}), config.cwd];
  if (nul.some((text) => text?.includes("\0")))
    return "command, args, env and cwd must not hold a NUL character";
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    try {
      new Headers([[name, value]]);
    } catch {
      return `headers.${printable(name, 64)}: not a valid HTTP header (a line break in the value?)`;
    }
  }
  if (config.url === undefined) {
    return config.oauth === undefined
      ? undefined
      : "oauth: only for servers with a url; others get tokens by env";
  }
  const url = URL.parse(config.url);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return "url: expected an http:// or https:// URL";
  if (url.username !== "" || url.password !== "") {
    return "url: put credentials into headers, not into the URL, where logs would show them";
  }
  if (config.oauth === undefined) return undefined;
  if (hasOwnToken(config)) return "oauth and headers.Authorization exclude each other; keep one";
  if (!mayGetTokens(url, config.allowPrivate === true))
    return "url: expected https:// beside oauth, since tokens are sent there";
  return oauthProblem(config.oauth);
}

function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}

function invalid(path: string, why: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `${path}: ${why}`, { data: { path } });
}
