// Owns finding tools by name: every spelling of an exact name, and names mentioned inside a query.
import type { NamedTool } from "../../contract/tool.ts";
import { compactForm, termOf, wordsOf } from "./words.ts";

/** A query of this many characters or more is a text, not a request by name. */
const MAX_MENTION = 400;

export interface NameIndex {
  /** Tools a text names exactly: raw, camelCase, snake_case, `server.tool`, `namespace.identifier`, `mcp__server__tool`. */
  exact(text: string): readonly number[];
  /** Tools whose name of two or more words stands word by word inside a text, longest names first. */
  mentioned(text: string): readonly number[];
}

/** Builds the index; positions are those of the list. Keys have no spaces, so that `getUIComponents` is `get_ui_components`. */
export function createNameIndex(tools: readonly NamedTool[]): NameIndex {
  const byName = new Map<string, number[]>();
  const byPath = new Map<string, number[]>();
  const longest = new Map<string, number>(); // first word → words of the longest name that starts with it
  const owners = new Map<string, string>();
  const ownerKey = (owner: string): string => {
    let key = owners.get(owner);
    if (key === undefined) owners.set(owner, (key = compactForm(owner)));
    return key;
  };
  const put = (map: Map<string, number[]>, key: string, position: number): void => {
    const holders = map.get(key);
    if (holders === undefined) map.set(key, [position]);
    else if (holders.at(-1) !== position) holders.push(position);
  };
  const putName = (name: string, server: string, namespace: string, position: number): void => {
    const words = wordsOf(name);
    const key = words.join("");
    if (key === "") return;
    put(byName, key, position);
    put(byPath, ownerKey(server) + key, position);
    if (namespace !== server) put(byPath, ownerKey(namespace) + key, position);
    const first = words[0] as string;
    if (words.length > Math.max(1, longest.get(first) ?? 0)) longest.set(first, words.length);
  };

  for (const [position, { tool, namespace, identifier }] of tools.entries()) {
    putName(tool.name, tool.server, namespace, position);
    if (identifier !== tool.name) putName(identifier, tool.server, namespace, position);
  }

  const lookUp = (map: Map<string, number[]>, key: string): readonly number[] => map.get(key) ?? [];
  const inside = (words: readonly string[]): { position: number; words: number }[] => {
    const found: { position: number; words: number }[] = [];
    for (let start = 0; start + 1 < words.length; start++) {
      const most = Math.min(longest.get(words[start] as string) ?? 0, words.length - start);
      let key = words[start] as string;
      for (let count = 2; count <= most; count++) {
        key += words[start + count - 1] as string;
        for (const position of lookUp(byName, key)) found.push({ position, words: count });
      }
    }
    return found;
  };
  return {
    exact(text) {
      const asked = text.trim();
      const key = compactForm(asked);
      if (key === "") return asked === "" ? [] : asWritten(tools, asked);
      const bare = key.startsWith("mcp") ? lookUp(byPath, key.slice(3)) : [];
      const found = [...new Set([...lookUp(byPath, key), ...bare, ...lookUp(byName, key)])];
      const same = (position: number): boolean => spelled(tools[position] as NamedTool, asked);
      return found.length < 2
        ? found
        : [...found.filter(same), ...found.filter((position) => !same(position))];
    },
    mentioned(text) {
      if (text.length >= MAX_MENTION) return [];
      const words = wordsOf(text);
      // `create a pull request` names create_pull_request as well.
      const found = [...inside(words), ...inside(words.filter((word) => termOf(word) !== undefined))];
      found.sort((a, b) => b.words - a.words || a.position - b.position);
      return [...new Set(found.map((entry) => entry.position))];
    },
  };
}

/** True when a text is the very spelling of a tool's name or path. */
function spelled({ tool, namespace, identifier }: NamedTool, text: string): boolean {
  return (
    text === tool.name ||
    text === identifier ||
    text === `${namespace}.${identifier}` ||
    text === `${tool.server}.${tool.name}` ||
    text === `mcp__${tool.server}__${tool.name}`
  );
}

/** Of tools with one name, those whose very spelling a text is; all of them when it is no one's. */
export function spelledOnly(tools: readonly NamedTool[], text: string): readonly NamedTool[] {
  const same = tools.filter((named) => spelled(named, text));
  return same.length > 0 ? same : tools;
}

/** Names without a letter or digit (`$`, emoji) have no words: they are compared as written. */
function asWritten(tools: readonly NamedTool[], text: string): readonly number[] {
  return [...tools.keys()].filter((position) => spelled(tools[position] as NamedTool, text));
}
