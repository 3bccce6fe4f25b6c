// Owns `envFile`: variables of a server, kept in a file beside its configuration.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { printable } from "./printable.ts";

const MAX_BYTES = 1 << 20;
// Without spaces around the value: a pattern for them would take the square of their number.
const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/s;
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "no permission"],
  ["EISDIR", "it is a folder, not a file"],
  ["ELOOP", "too many symbolic links"],
]);

export interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  /** Why the file cannot be used; names the line, never a value. */
  readonly problem?: string;
}

/**
 * Reads `KEY=VALUE` lines: `#` begins a comment on a line of its own, `export` is allowed, quotes around a value are taken
 * off (in double quotes `\n`, `\"` and `\\` are read). Values are taken as they are: nothing in them is expanded.
 */
export function readEnvFile(path: string): EnvFile {
  try {
    return parseEnvFile(readBounded(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(REASONS.get(code ?? "") ?? code ?? message);
  }
}

/** The same for a text. */
export function parseEnvFile(text: string): EnvFile {
  const values = new Map<string, string>();
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, written = ""] = LINE.exec(line) ?? [];
    if (name === undefined) return failed(`line ${index + 1}: expected NAME=value`);
    const value = unquoted(written.trim());
    if (value === undefined)
      return failed(`line ${index + 1}: the quotes of ${printable(name, 64)} do not end`);
    if (value.includes("\0")) return failed(`line ${index + 1}: a value must not hold a NUL character`);
    values.set(name, value);
  }
  return { values };
}

function unquoted(written: string): string | undefined {
  const [quote] = written;
  if (quote !== '"' && quote !== "'") return written;
  if (written.length < 2 || !written.endsWith(quote)) return undefined;
  const inner = written.slice(1, -1);
  if (quote === "'") return inner;
  return inner.replaceAll(/\\([n"\\])/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

// Security: the path comes from a configuration. A pipe would block for ever, a device would never end.
function readBounded(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw new Error("it is a folder, not a file");
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > MAX_BYTES) throw new Error("it is larger than 1 MiB");
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length).toString("utf8");
  } finally {
    closeSync(file);
  }
}

function failed(problem: string): EnvFile {
  return { values: new Map(), problem };
}
