// Owns how a server is shown to a person before it is started: its command line or address, and names of variables.
import { folded } from "../question.ts";
import { counted } from "../text/amount.ts";
import { bold, dim, type Text } from "../text/styled.ts";
import { visibleLine } from "../text/visible.ts";
import { addressOf, isEntry, listOf, namesOf, textOf, wordOf, type RawEntry } from "./entry.ts";

/** UTF-16 units of all command lines, and of one; what is cut is counted. */
const MAX_TEXT = 20_000;
const MAX_COMMAND = 4_000;
const MIN_COMMAND = 200;
const MAX_NAMES = 20;
const MAX_SERVERS = 100;
/** Keys of `oauth` that authorization servers get something of. */
const SECRETS = ["clientSecret", "privateKey"];

/** All of them, in rows of the terminal: what starts, where it runs, what it is given. Values are never shown. */
export function serverRows(servers: Readonly<Record<string, unknown>>, width: number): readonly Text[] {
  const entries = Object.entries(servers);
  const room = Math.max(MIN_COMMAND, Math.min(MAX_COMMAND, Math.floor(MAX_TEXT / entries.length)));
  const rows = entries
    .slice(0, MAX_SERVERS)
    .flatMap(([name, entry]) => entryRows(name, entryLines(entry, room), width));
  const more = entries.length - MAX_SERVERS;
  return more > 0 ? [...rows, dim(`  and ${counted(more, "more server")}, in the file`)] : rows;
}

/** The name, and below it what is said of it. */
export function entryRows(name: string, said: readonly string[], width: number): readonly Text[] {
  const below = said.flatMap((line) => folded(line, width - 2));
  return [
    ...folded(visibleLine(name, 128), width).map((row) => bold(row)),
    ...below.map((line): Text => ["  ", line]),
  ];
}

/** What it starts or sends to, then what it is given, a line each. `room`: UTF-16 units of its command line. */
export function entryLines(entry: unknown, room: number = MAX_COMMAND): readonly string[] {
  if (!isEntry(entry)) return ["cannot be used: it is no object"];
  const command = textOf(entry["command"]);
  const address = addressOf(entry);
  if (command !== undefined) return [`starts ${commandLine(command, entry["args"], room)}`, ...given(entry)];
  if (address !== undefined) return [`sends to ${shownAddress(address)}`, ...given(entry)];
  return ["cannot be used: it has neither command nor url"];
}

/** As a shell would need it written. Security: everything in it is made visible, and a cut is told. */
export function commandLine(command: string, args: unknown, room: number = MAX_COMMAND): string {
  const line = [command, ...listOf(args).map(wordOf)].map(quoted).join(" ");
  const cut = line.length - room;
  const shown = visibleLine(line.slice(0, room), room * 8);
  return cut > 0 ? `${shown} … ${cut.toLocaleString("en-US")} more characters (cut)` : shown;
}

/** One word of a command line. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./\\${}~-]+$/.test(word)) return word;
  return word.includes("'") ? JSON.stringify(word) : `'${word}'`;
}

// Security: keys of services are put into queries and before the @, where a screen should not show them.
function shownAddress(address: string): string {
  const [place = "", query] = address.split(/[?#]/, 2);
  const names = [...new URLSearchParams(query ?? "").keys()].map((name) => `${name}=…`);
  const whole = place.replace(/^([a-z][\w+.-]*:\/\/)[^/@]*@/i, "$1…@");
  return visibleLine(names.length === 0 ? whole : `${whole}?${names.join("&")}`, MAX_COMMAND);
}

function given(entry: RawEntry): readonly string[] {
  const { cwd, envFile, env, headers, oauth, allowPrivate } = entry;
  return [
    ...(cwd === undefined ? [] : [`in ${visibleLine(wordOf(cwd), 1_000)}`]),
    ...(namesOf(env).length === 0 ? [] : [`variables: ${nameList(env)}`]),
    ...(envFile === undefined ? [] : [`variables of ${visibleLine(wordOf(envFile), 1_000)}`]),
    ...(oauth === undefined ? [] : signIn(oauth)),
    ...(allowPrivate === true ? ["may reach addresses of private networks"] : []),
    ...(namesOf(headers).length === 0 ? [] : [`headers: ${nameList(headers)}`]),
  ];
}

// Security: a secret may be sent to another place than the address that is shown.
function signIn(oauth: unknown): readonly string[] {
  const { issuer, authServerMetadataUrl, ...rest } = isEntry(oauth) ? oauth : {};
  const secrets = SECRETS.filter((key) => Object.hasOwn(rest, key));
  return [
    `signs in with OAuth${secrets.length === 0 ? "" : `, sends ${secrets.join(", ")}`}`,
    ...(authServerMetadataUrl === undefined
      ? []
      : [`sign-in as told by ${shownAddress(wordOf(authServerMetadataUrl))}`]),
    ...(issuer === undefined ? [] : [`sign-in at ${shownAddress(wordOf(issuer))}`]),
  ];
}

function nameList(value: unknown): string {
  const names = namesOf(value);
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map((name) => visibleLine(name, 80));
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
