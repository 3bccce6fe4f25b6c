// Owns the expansion of ${VAR} in server configurations.

export type Environment = ReadonlyMap<string, string> | Readonly<Record<string, string | undefined>>;

/** Looks a variable up; inherited names of a record are absent. */
export function lookUp(env: Environment, name: string): string | undefined {
  if (env instanceof Map) return env.get(name);
  const record = env as Readonly<Record<string, string | undefined>>;
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export interface Expansion {
  readonly text: string;
  /** Values that came from the environment, but for names that speak of places; never print them. */
  readonly used: readonly string[];
  /** Why the text cannot be used; names the variable, never a value. */
  readonly problem?: string;
}

const REFERENCE = /\$\{([^{}]*)\}/g;
/** Variables that hold no secret by their very name; their values may stand in messages and outputs. */
const PLAIN_NAME =
  /^(?:HOME|USER|LOGNAME|PWD|PATH|SHELL|LANG|TERM|TZ|TMP|TEMP|TMPDIR|HOSTNAME|USERPROFILE|APPDATA|LOCALAPPDATA)$|(?:^|_)(?:DIR|FOLDER|PATH|ROOT|HOME|FILE|PORT)$/;
/** Whether what a variable holds may be shown, judged by its name. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Expands `${VAR}`, `${VAR:-default}` and `${env:VAR}` in one pass: a value that itself holds `${…}` stays as it is.
 * As in a shell, an empty variable takes the default.
 */
export function expand(text: string, env: Environment): Expansion {
  const used: string[] = [];
  let problem: string | undefined;
  const expanded = text.replaceAll(REFERENCE, (whole, inner: string) => {
    const [, name, fallback] = VARIABLE.exec(inner) ?? [];
    if (name === undefined) {
      problem ??= inner.startsWith("input:")
        ? `\${${inner}} asks the editor for a value, which Callgate cannot do; use an environment variable: \${NAME}`
        : `\${${inner.slice(0, 60)}} is not a variable; write \${NAME}, \${NAME:-default} or \${env:NAME}`;
      return whole;
    }
    const value = lookUp(env, name);
    if (value !== undefined && (value !== "" || fallback === undefined)) {
      if (!isPlainName(name)) used.push(value);
      return value;
    }
    if (fallback !== undefined) return fallback;
    problem ??= `environment variable ${name} is not set; set it or write \${${name}:-default}`;
    return whole;
  });
  return { text: expanded, used, ...(problem === undefined ? {} : { problem }) };
}
