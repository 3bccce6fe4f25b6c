// Owns what a server of another host is called here: the same keys where they mean the same, a reason where it cannot be.
import { pathsOf, type Machine } from "../places.ts";
import { addressOf, isDisabled, isEntry, listOf, textOf, wordOf, type RawEntry } from "../servers/entry.ts";
import { visibleLine } from "../text/visible.ts";
import type { Found } from "./find.ts";
import type { Host } from "./hosts.ts";
import { takenOAuth } from "./oauth.ts";
import { variableName } from "./secrets.ts";

export type Translated =
  | {
      readonly entry: RawEntry;
      readonly notes: readonly string[];
      /** Variables for what the editor would have asked for. */
      readonly inputs: readonly string[];
    }
  | { readonly reason: string };

const KEPT = [
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "serverUrl",
  "headers",
  "oauth",
  "timeout",
  "protocolEra",
];
const TYPES: ReadonlySet<unknown> = new Set(["stdio", "http", "streamable-http", "streamableHttp", "sse"]);
const ERAS: ReadonlySet<unknown> = new Set(["auto", "legacy", "modern"]);
const EDITORS: ReadonlySet<Host> = new Set(["vscode", "cursor"]);
/** What editors fill in themselves: the file that is open, the folder it is in. */
const PREDEFINED =
  /^(?:workspaceFolder|relativeFile|file|cwd$|selectedText|lineNumber|columnNumber|execPath|defaultBuildTask)/;
const VARIABLE = /^(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-.*)?$/s;

/** `target`: folder of the configuration that it is meant for. */
export function translated(found: Found, target: string, machine: Machine): Translated {
  const { entry, name } = found;
  if (name === "" || name.length > 128 || visibleLine(name, 128) !== name)
    return { reason: "its name does not have 1 to 128 printable characters" };
  if (!isEntry(entry)) return { reason: "it is no object" };
  if (isDisabled(entry)) return { reason: "it is disabled there" };
  const command = textOf(entry["command"]);
  const address = addressOf(entry);
  if (command === undefined && address === undefined) return { reason: "it has neither command nor url" };
  if (command !== undefined && address !== undefined) return { reason: "it has both command and url" };
  if (isCallgate(command, entry["args"])) return { reason: "it is Callgate itself" };
  const kept = Object.fromEntries(
    KEPT.filter((key) => Object.hasOwn(entry, key)).map((key) => [key, entry[key]]),
  );
  // One entry that is not as it should be would make the whole configuration invalid.
  if (!TYPES.has(kept["type"]) || (kept["type"] === "stdio") !== (command !== undefined)) delete kept["type"];
  if (!isTimeout(kept["timeout"])) delete kept["timeout"];
  if (!ERAS.has(kept["protocolEra"])) delete kept["protocolEra"];
  const { oauth, left: leftOfOAuth } = takenOAuth(kept["oauth"]);
  delete kept["oauth"];
  // Programs get tokens by variables.
  if (oauth !== undefined && address !== undefined) kept["oauth"] = oauth;
  const wrong = wrongKind(kept);
  if (wrong !== undefined) return { reason: wrong };
  const inputs = new Set<string>();
  const opened = replaced(kept, (text) =>
    text.replaceAll(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
      if (inner === "workspaceFolder") return found.folder;
      if (inner === "userHome") return machine.home;
      if (inner === "pathSeparator" || inner === "/") return pathsOf(machine).sep;
      if (!inner.startsWith("input:")) return whole;
      const variable = variableName(inner.slice("input:".length));
      inputs.add(variable);
      return `\${${variable}}`;
    }),
  ) as RawEntry;
  const strange = unknownVariable(opened, found.host);
  if (strange !== undefined) return { reason: `\${${visibleLine(strange, 60)}} is not known here` };
  const unknown = Object.keys(entry).filter((key) => !KEPT.includes(key) && key !== "disabled");
  const left = [...unknown, ...leftOfOAuth];
  return {
    entry: rebased(opened, found.folder, target, machine),
    notes: [
      ...(left.length === 0
        ? []
        : [
            `left out: ${left
              .slice(0, 10)
              .map((key) => visibleLine(key, 60))
              .join(", ")}`,
          ]),
    ],
    inputs: [...inputs],
  };
}

// Security: a gate that starts itself starts itself again.
function isCallgate(command: string | undefined, args: unknown): boolean {
  if (command === undefined) return false;
  const words = [command, ...listOf(args).map(wordOf)];
  return (
    words.includes("serve") && words.some((word) => /(?:^|[/\\])callgate(?:@[\w.-]+|\.cmd)?$/.test(word))
  );
}

function wrongKind(entry: RawEntry): string | undefined {
  const { args, env, headers, cwd, envFile } = entry;
  if (args !== undefined && !(Array.isArray(args) && args.every(isScalar))) return "args is no list of texts";
  for (const [key, value] of Object.entries({ env, headers })) {
    if (value === undefined) continue;
    if (!isEntry(value) || !Object.values(value).every(isScalar)) return `${key} is no object of texts`;
  }
  for (const [key, value] of Object.entries({ cwd, envFile }))
    if (value !== undefined && textOf(value) === undefined) return `${key} is no text`;
  return undefined;
}

function isTimeout(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function replaced(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((part) => replaced(part, change));
  if (!isEntry(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part, change)]));
}

/** What stands in the first `${…}` that no variable can be. */
function unknownVariable(entry: RawEntry, host: Host): string | undefined {
  const isKnown = (inner: string): boolean =>
    VARIABLE.test(inner) && !(EDITORS.has(host) && PREDEFINED.test(inner));
  let strange: string | undefined;
  const { command, args, env, envFile, cwd, url, serverUrl, headers, oauth } = entry;
  replaced([command, args, env, envFile, cwd, url, serverUrl, headers, oauth], (text) => {
    for (const [, inner = ""] of text.matchAll(/\$\{([^{}]*)\}/g)) if (!isKnown(inner)) strange ??= inner;
    return text;
  });
  return strange;
}

/** Paths relative to where it was found, when that is not where it goes. */
function rebased(entry: RawEntry, from: string, target: string, machine: Machine): RawEntry {
  if (from === target) return entry;
  const { isAbsolute, resolve } = pathsOf(machine);
  const whole = (key: string, isPath: (text: string) => boolean): RawEntry => {
    const text = textOf(entry[key]);
    if (text === undefined || isAbsolute(text) || text.startsWith("${") || !isPath(text)) return {};
    return { [key]: resolve(from, text) };
  };
  return {
    ...entry,
    ...whole("cwd", () => true),
    ...whole("envFile", () => true),
    ...whole("command", (text) => /^\.\.?[/\\]/.test(text)),
  };
}
