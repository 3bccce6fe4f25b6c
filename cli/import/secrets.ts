// Owns the replacing of secrets that stand in a server's definition by variables of the environment.
import { isEntry, listOf, namesOf, type RawEntry } from "../servers/entry.ts";

const SECRET_NAME = /key|token|secret|pass|auth|cred|cookie|signature/i;
/** Speaks of a place or a setting, whatever else is in the name. */
const PLAIN_NAME =
  /(?:^|[_-])(?:dir|folder|path|root|home|file|port|url|uri|host|enabled|type|method|mode)$/i;
const PLAIN_VALUE = /^(?:|true|false|yes|no|on|off|none|null|\d{1,9})$/i;
const SHAPES = [
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/,
  /\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}/,
  /\bAKIA[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]{20,}|\beyJ[\w-]{10,}\.[\w-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];
/** A password before the @ of an address. Security: bounded, or a text without an address takes the square of its length. */
const PASSWORD = /\b[a-z][\w+.-]{0,30}:\/\/[^\s/:@]{0,300}:[^\s/@]{1,2000}@/i;
const SCHEME = /^(Bearer|Basic|Token|ApiKey)\s+(.+)$/is;

export interface Freed {
  /** Without its secrets. */
  readonly entry: RawEntry;
  /** Variables that must be set for it, each with what it replaced. */
  readonly variables: ReadonlyMap<string, string>;
}

/** `taken`: variables of other servers and what they stand for; equal secrets of one name share a variable. */
export function withoutSecrets(name: string, entry: RawEntry, taken: ReadonlyMap<string, string>): Freed {
  const variables = new Map<string, string>();
  const variable = (wanted: string, secret: string): string => {
    for (let tries = 1; ; tries += 1) {
      const own = tries === 1 ? wanted : `${variableName(name)}_${wanted}${tries === 2 ? "" : `_${tries}`}`;
      const before = variables.get(own) ?? taken.get(own);
      if (before !== undefined && before !== secret) continue;
      variables.set(own, secret);
      return `\${${own}}`;
    }
  };
  const prefixed = (part: string): string => `${variableName(name)}_${variableName(part)}`;
  const { env, headers, args, url, serverUrl, oauth } = entry;
  const freed: RawEntry = {
    ...entry,
    ...(isEntry(env) && {
      env: mapped(env, (key, text) => (isSecret(key, text) ? variable(variableName(key), text) : text)),
    }),
    ...(isEntry(headers) && {
      headers: mapped(headers, (key, text) =>
        isSecret(key, text) ? header(text, variable, prefixed(key)) : text,
      ),
    }),
    ...(isEntry(oauth) && {
      oauth: mapped(oauth, (key, text) =>
        key === "clientSecret" && !text.includes("${") ? variable(prefixed("clientSecret"), text) : text,
      ),
    }),
    ...(Array.isArray(args) && { args: freedArguments(listOf(args), variable, prefixed) }),
    ...(typeof url === "string" && { url: freedAddress(url, variable, prefixed) }),
    ...(typeof serverUrl === "string" && { serverUrl: freedAddress(serverUrl, variable, prefixed) }),
  };
  return { entry: freed, variables };
}

type Variable = (wanted: string, secret: string) => string;

function header(text: string, variable: Variable, wanted: string): string {
  const [, scheme, secret] = SCHEME.exec(text) ?? [];
  return scheme === undefined || secret === undefined
    ? variable(wanted, text)
    : `${scheme} ${variable(wanted, secret)}`;
}

function freedArguments(
  args: readonly unknown[],
  variable: Variable,
  prefixed: (part: string) => string,
): readonly unknown[] {
  return args.map((value, index) => {
    if (typeof value !== "string") return value;
    const before = args[index - 1];
    const flag = typeof before === "string" ? /^--?([\w-]+)$/.exec(before)?.[1] : undefined;
    if (flag !== undefined && !value.startsWith("-") && isSecretNamed(flag, value))
      return variable(prefixed(flag), value);
    // `--token=x`, `TOKEN=x`, `Authorization: Bearer x`.
    const [, lead = "", key = "", rest = ""] = /^((?:--?)?([\w-]+)(?:=|:\s*))(.+)$/s.exec(value) ?? [];
    if (key !== "" && isSecretNamed(key, rest)) return `${lead}${header(rest, variable, prefixed(key))}`;
    return looksSecret(value) ? variable(prefixed("secret"), value) : value;
  });
}

function freedAddress(address: string, variable: Variable, prefixed: (part: string) => string): string {
  return address.replace(/([?&]([\w.-]+)=)([^&#]+)/g, (whole, lead: string, key: string, value: string) =>
    isSecret(key, value) ? `${lead}${variable(prefixed(key), value)}` : whole,
  );
}

function mapped(record: RawEntry, change: (key: string, text: string) => string): RawEntry {
  return Object.fromEntries(
    namesOf(record).map((key) => {
      const value = record[key];
      return [key, typeof value === "string" ? change(key, value) : value];
    }),
  );
}

function isSecret(key: string, value: string): boolean {
  return isSecretNamed(key, value) || looksSecret(value);
}

function isSecretNamed(key: string, value: string): boolean {
  if (value.includes("${") || PLAIN_VALUE.test(value)) return false;
  return SECRET_NAME.test(key) && !PLAIN_NAME.test(key);
}

function looksSecret(value: string): boolean {
  return !value.includes("${") && (PASSWORD.test(value) || SHAPES.some((shape) => shape.test(value)));
}

/** `github-app` → `GITHUB_APP`, `clientSecret` → `CLIENT_SECRET`. */
export function variableName(text: string): string {
  const name = text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toUpperCase()
    .slice(0, 64);
  return /^[A-Z_]/.test(name) ? name : `S_${name}`;
}
