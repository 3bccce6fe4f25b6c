// Owns the check of what a gate and its runs are given.
import type { PolicyLayer } from "./broker/policy/parse.ts";
import { CallgateError } from "./contract/error.ts";
import type { CallgateOptions, RemoveServerOptions, RunOptions } from "./gate.ts";

interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const anything: Kind = { expected: "a value", fits: () => true };
const aFunction: Kind = { expected: "a function", fits: (value) => typeof value === "function" };
const text: Kind = { expected: "a text", fits: (value) => typeof value === "string" };
const flag: Kind = { expected: "true or false", fits: (value) => typeof value === "boolean" };
const texts: Kind = {
  expected: "an array of texts",
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
};
const object: Kind = {
  expected: "an object",
  fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
const wait: Kind = {
  expected: "a whole number of milliseconds from 0 to 600000",
  fits: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 600_000,
};
const signal: Kind = { expected: "an AbortSignal", fits: (value) => value instanceof AbortSignal };
const store: Kind = {
  expected: "a RunStore with create, append, load and end",
  fits: (value) =>
    object.fits(value) &&
    ["create", "append", "load", "end"].every(
      (method) => typeof (value as Record<string, unknown>)[method] === "function",
    ),
};

const GATE: Readonly<Record<keyof CallgateOptions, Kind>> = {
  servers: object,
  tools: object,
  policy: anything,
  policySources: texts,
  limits: object,
  approve: aFunction,
  elicit: aFunction,
  sandbox: object,
  catalog: object,
  store,
  env: object,
  auth: object,
  audit: object,
  pins: object,
  telemetry: object,
  catalogCache: object,
  listWaitMs: wait,
};

const CATALOG: Readonly<Record<keyof NonNullable<CallgateOptions["catalog"]>, Kind>> = {
  contextWindow: anything,
  threshold: anything,
  embed: aFunction,
};

const AUTH: Readonly<Record<keyof NonNullable<CallgateOptions["auth"]>, Kind>> = {
  store: {
    expected: "a TokenStore with load and save",
    fits: (value) =>
      object.fits(value) &&
      ["load", "save"].every((method) => typeof (value as Record<string, unknown>)[method] === "function"),
  },
};

const RUN: Readonly<Record<keyof RunOptions, Kind>> = {
  check: {
    expected: '"error", "warn" or "off"',
    fits: (value) => value === "error" || value === "warn" || value === "off",
  },
  signal,
  principal: text,
  labels: texts,
  limits: object,
  dryRun: flag,
  timeZone: text,
  approve: aFunction,
  elicit: aFunction,
  onProgress: aFunction,
};

/** Throws CONFIG_INVALID for a key that is no option, or a value that is not of its kind. */
export function checkGateOptions(options: CallgateOptions): void {
  checkOptions("createCallgate", options, GATE);
  if (options.catalog !== undefined) checkOptions("catalog", options.catalog, CATALOG);
  if (options.auth !== undefined) checkOptions("auth", options.auth, AUTH);
}

const REMOVE: Readonly<Record<keyof RemoveServerOptions, Kind>> = {
  after: {
    expected: "a promise",
    fits: (value) => typeof (value as { then?: unknown } | null)?.then === "function",
  },
  inFlight: {
    expected: '"finish" or "cancel"',
    fits: (value) => value === "finish" || value === "cancel",
  },
};

/** Names are of the configuration, so they are shown. */
export function unknownServer(name: string, known: readonly { readonly server: string }[]): CallgateError {
  const names = known.slice(0, 20).map(({ server }) => server);
  const there = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  const text = `there is no server ${JSON.stringify(String(name).slice(0, 80))}; ${there}`;
  return new CallgateError("CONFIG_UNKNOWN_UPSTREAM", text, { data: { server: name } });
}

/** Throws CONFIG_INVALID. */
export function checkRemoval(options: RemoveServerOptions): void {
  checkOptions("removeServer", options, REMOVE);
}

/** Throws CONFIG_INVALID; `script` must be a text. */
export function checkRun(script: unknown, options: RunOptions): void {
  if (typeof script !== "string") throw invalid("script", `expected a text, got ${kindOf(script)}`);
  checkOptions("run", options, RUN);
}

function checkOptions(owner: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void {
  if (!object.fits(options)) throw invalid(owner, `expected an object of options, got ${kindOf(options)}`);
  for (const [key, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(kinds, key)) {
      const known = Object.keys(kinds).join(", ");
      throw invalid(key, `${owner} has no option ${JSON.stringify(key.slice(0, 80))}; there are ${known}`);
    }
    const kind = kinds[key] as Kind;
    if (value !== undefined && !kind.fits(value)) {
      throw invalid(key, `expected ${kind.expected}, got ${kindOf(value)}`);
    }
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : typeof value;
}

function invalid(path: string, why: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `${path.slice(0, 80)}: ${why}`, { data: { path } });
}

/** The layers of `policy`, each with its name. */
export function policyLayers({ policy, policySources }: CallgateOptions): readonly PolicyLayer[] {
  return [policy ?? {}].flat().map((value: unknown, index) => ({
    source: policySources?.[index] ?? `layer ${index + 1}`,
    value,
  }));
}

/** The name as Intl knows it. Throws CONFIG_INVALID. */
export function parseTimeZone(timeZone: string = "UTC"): string {
  if (timeZone === "UTC") return timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    const named = JSON.stringify(timeZone.slice(0, 80));
    throw invalid("timeZone", `${named} is no IANA time zone, such as "Europe/Berlin"`);
  }
}
