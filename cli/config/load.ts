// Owns the finding and reading of callgate.json, and the place in it of every mistake.
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { CallgateError } from "../../index.ts";
import { fileProblem, UsageError } from "../usage-error.ts";
import type { Document } from "./document.ts";
import { displayName, located, readDocument } from "./located.ts";
import { loadPolicy, type PolicyLayers } from "./policy-files.ts";
import { parseShape, pathText, ShapeProblem, type Config } from "./shape.ts";

export const CONFIG_NAME = "callgate.json";

export interface LoadedConfig {
  readonly config: Config;
  readonly policy: PolicyLayers;
  /** As a person would name it; undefined when there is none. */
  readonly file: string | undefined;
  /** The whole path of the file, and its servers as they are written there; undefined without a file. */
  readonly source: { readonly path: string; readonly servers: Config["servers"] } | undefined;
  /** The whole of the file, as parsed; undefined without one. */
  readonly value: unknown;
  /** Where accepted tool definitions are kept; undefined when tools are not pinned. */
  readonly lockFile: string | undefined;
  /** An error of the gate about this configuration, with the file and the place in it. Others pass. */
  explain(error: unknown): unknown;
}

/**
 * Reads `file`, or `callgate.json` of the folder when that exists; without either there are no servers.
 * A relative `cwd` or `envFile`, and a `command` that begins with `./` or `../`, are taken from the file's folder, which is
 * also the default `cwd`. Throws UsageError: file, line, column, path inside, what was expected.
 */
export async function loadConfig(options: {
  readonly cwd: string;
  readonly file: string | undefined;
  /** Policy files of this command alone; they only tighten. */
  readonly policies?: readonly string[] | undefined;
}): Promise<LoadedConfig> {
  const path = resolve(options.cwd, options.file ?? CONFIG_NAME);
  const shown = displayName(options.cwd, path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const absent = options.file === undefined && (error as NodeJS.ErrnoException).code === "ENOENT";
    if (absent) return withoutFile(options);
    throw new UsageError(`${shown}: ${fileProblem(error)}`);
  }
  const document = await readDocument(text, shown);
  try {
    const config = parseShape(document.value);
    const folder = dirname(path);
    const holder = { file: shown, folder, document, policy: config.policy };
    const policy = await loadPolicy({ cwd: options.cwd, holder, further: options.policies ?? [] });
    return {
      config: rootedConfig(config, folder),
      policy,
      file: shown,
      source: { path, servers: config.servers },
      value: document.value,
      lockFile: config.pins === false ? undefined : lockFileOf(path),
      explain: (error) => policyError(error, policy) ?? explain(error, document, shown),
    };
  } catch (error) {
    if (!(error instanceof ShapeProblem)) throw error;
    throw located(shown, document.positionOf([...error.path]), pathText(error.path), error.message);
  }
}

/** Beside the configuration, and one for each: the tool definitions that were accepted. */
function lockFileOf(path: string): string {
  return `${path.replace(/\.json$/i, "")}.lock.json`;
}

async function withoutFile(options: {
  readonly cwd: string;
  readonly policies?: readonly string[] | undefined;
}): Promise<LoadedConfig> {
  const { cwd, policies = [] } = options;
  const policy = await loadPolicy({ cwd, holder: undefined, further: policies });
  return {
    config: { servers: {} },
    policy,
    file: undefined,
    source: undefined,
    value: undefined,
    lockFile: undefined,
    explain: (error) => policyError(error, policy) ?? error,
  };
}

function policyError(error: unknown, policy: PolicyLayers): UsageError | undefined {
  return CallgateError.is(error, "CONFIG_POLICY_INVALID") ? policy.explain(error) : undefined;
}

function rootedConfig(config: Config, folder: string): Config {
  const { servers, audit } = config;
  return {
    ...config,
    servers: rooted(servers, folder),
    ...(audit !== undefined && { audit: { ...audit, file: resolve(folder, audit.file) } }),
  };
}

function rooted(
  servers: Readonly<Record<string, unknown>>,
  folder: string,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(servers).map(([name, entry]) => {
    if (typeof entry !== "object" || entry === null || !Object.hasOwn(entry, "command")) return [name, entry];
    const { cwd, command, envFile } = entry as { cwd?: unknown; command?: unknown; envFile?: unknown };
    const place = cwd === undefined ? folder : typeof cwd === "string" ? fromFolder(folder, cwd) : cwd;
    const program =
      typeof command === "string" && /^\.\.?[/\\]/.test(command) ? resolve(folder, command) : command;
    const variables = typeof envFile === "string" ? { envFile: fromFolder(folder, envFile) } : {};
    return [name, { ...entry, cwd: place, command: program, ...variables }];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

/** A folder that begins with a variable is whole once the variable is known. */
function fromFolder(folder: string, path: string): string {
  return isAbsolute(path) || path.startsWith("${") ? path : join(folder, path);
}

function explain(error: unknown, document: Document, file: string): unknown {
  if (!CallgateError.is(error) || !error.code.startsWith("CONFIG_")) return error;
  const path = pathOf(error);
  // About another file, which the message names.
  if (path === "pins.file") return new UsageError(error.message.replace(/^pins\.file: /, ""));
  if (path === undefined) return new UsageError(`${file}: ${error.message}`);
  // The gate knows servers by one of their two names.
  const named = Object.hasOwn(document.value as object, "servers") ? "servers" : "mcpServers";
  return located(file, document.positionOfText(path.replace(/^mcpServers/, named)), "", error.message);
}

function pathOf({ data, message }: CallgateError): string | undefined {
  const { path } = data;
  if (typeof path === "string" && path !== "") return path;
  return /^((?:limits|sandbox|catalog|mcpServers)\b[\w.[\]-]{0,200}): /.exec(message)?.[1];
}
