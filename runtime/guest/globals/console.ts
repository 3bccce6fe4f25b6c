// Owns console: text is made and bounded here; how much of it is kept is decided outside.
import {
  NumberToString,
  SafeMap,
  StringIndexOf,
  StringRepeat,
  StringSlice,
  globalObject,
} from "../primordials.ts";
import { defineValue, defineValues } from "./define.ts";
import { formatArguments, formatDeep, formatValue } from "./format.ts";
import { formatTable } from "./table.ts";
import { MAX_LINE, cutText, quote } from "./text-limits.ts";

export type ConsoleLevel = "log" | "info" | "warn" | "error" | "debug";

export interface ConsolePowers {
  readonly now: () => number;
  readonly log: (level: ConsoleLevel, text: string) => void;
}

const MAX_INDENT = 20;
const MAX_LABELS = 1_000;
const MAX_LABEL = 200;
/** How deep `console.dir` may be asked to go. */
const MAX_DIR_DEPTH = 20;

/** Replaces V8's console, which is silent, on globalThis. */
export function installConsole(powers: ConsolePowers): void {
  const counts = new SafeMap<string, number>();
  const timers = new SafeMap<string, number>();
  let groups = 0;

  const write = (level: ConsoleLevel, text: string): void => {
    powers.log(level, groups === 0 ? text : indent(text, groups < MAX_INDENT ? groups : MAX_INDENT));
  };
  const lapse = (name: string, rest: readonly unknown[]): void => {
    const since = timers.get(name);
    if (since === undefined) {
      write("warn", `No such label ${quote(name, MAX_LABEL)} for console.time()`);
      return;
    }
    const more = rest.length === 0 ? "" : ` ${formatArguments(rest)}`;
    write("log", `${name}: ${NumberToString(powers.now() - since)}ms${more}`);
  };

  const methods = {
    log: (...args: readonly unknown[]): void => write("log", formatArguments(args)),
    info: (...args: readonly unknown[]): void => write("info", formatArguments(args)),
    warn: (...args: readonly unknown[]): void => write("warn", formatArguments(args)),
    error: (...args: readonly unknown[]): void => write("error", formatArguments(args)),
    debug: (...args: readonly unknown[]): void => write("debug", formatArguments(args)),
    dirxml: (...args: readonly unknown[]): void => write("log", formatArguments(args)),
    trace: (...args: readonly unknown[]): void =>
      write("debug", args.length === 0 ? "Trace" : `Trace: ${formatArguments(args)}`),
    dir: (value?: unknown, options?: { readonly depth?: unknown } | null): void => {
      const depth = options?.depth;
      if (depth === null || typeof depth === "number") {
        write("log", formatDeep(value, depth !== null && depth < MAX_DIR_DEPTH ? depth : MAX_DIR_DEPTH));
      } else write("log", formatValue(value));
    },
    table: (data?: unknown, columns?: unknown): void => {
      const table = formatTable(data, columns);
      write("log", table === undefined ? formatArguments([data]) : table);
    },
    assert: (condition?: unknown, ...args: readonly unknown[]): void => {
      if (condition) return;
      write("error", args.length === 0 ? "Assertion failed" : `Assertion failed: ${formatArguments(args)}`);
    },
    group: (...args: readonly unknown[]): void => {
      if (args.length > 0) write("log", formatArguments(args));
      groups += 1;
    },
    groupEnd: (): void => {
      if (groups > 0) groups -= 1;
    },
    count: (label?: unknown): void => {
      const name = labelText(label);
      const count = (counts.get(name) ?? 0) + 1;
      if (counts.size < MAX_LABELS || count > 1) counts.set(name, count);
      write("log", `${name}: ${NumberToString(count)}`);
    },
    countReset: (label?: unknown): void => void counts.delete(labelText(label)),
    time: (label?: unknown): void => {
      const name = labelText(label);
      if (timers.has(name))
        write("warn", `Label ${quote(name, MAX_LABEL)} already exists for console.time()`);
      else if (timers.size < MAX_LABELS) timers.set(name, powers.now());
    },
    timeLog: (label?: unknown, ...args: readonly unknown[]): void => lapse(labelText(label), args),
    timeEnd: (label?: unknown): void => {
      const name = labelText(label);
      lapse(name, []);
      timers.delete(name);
    },
    // There is no screen to clear: the log is the result.
    clear: (): void => undefined,
  };
  const console = {};
  defineValues(console, methods);
  defineValue(console, "groupCollapsed", methods.group);
  defineValue(globalObject, "console", console);
}

function labelText(label: unknown): string {
  if (label === undefined) return "default";
  return typeof label === "string" ? cutText(label, MAX_LABEL) : formatDeep(label, 0);
}

function indent(text: string, level: number): string {
  const margin = StringRepeat("  ", level);
  let out = margin;
  let from = 0;
  for (;;) {
    const end = StringIndexOf(text, "\n", from);
    if (end === -1 || out.length > MAX_LINE) return out + StringSlice(text, from);
    out += StringSlice(text, from, end + 1) + margin;
    from = end + 1;
  }
}
