// Owns the short lines of a listing: headings of servers, counts, one-line descriptions.
import { quoted } from "../contract/schema/printable.ts";
import type { NamedTool } from "../contract/tool.ts";
import { emitOneLine } from "./emit.ts";
import { compactForm } from "./search/words.ts";

/** What a script writes to call a tool. */
export function callOf(named: NamedTool): string {
  return `${named.namespace}.${named.identifier}`;
}

/** A namespace, with the configured server name beside it where the two have different words. */
export function heading(server: string, namespace: string): string {
  if (server === namespace || compactForm(server) === compactForm(namespace)) return namespace;
  return `${namespace} (server ${quoted(server)})`;
}

/** An identifier, with the raw name beside it where the two have different words. */
export function shownName({ tool, identifier }: NamedTool): string {
  if (tool.name === identifier || compactForm(tool.name) === compactForm(identifier)) return identifier;
  return `${identifier} (${quoted(tool.name)})`;
}

/** One tool in one line: its call and what it does. */
export function callLine(named: NamedTool): string {
  const line = emitOneLine(named);
  return line === "" ? callOf(named) : `${callOf(named)} // ${line}`;
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
