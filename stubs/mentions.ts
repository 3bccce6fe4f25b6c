// Owns which servers the text of a script can mean.
import type { NamePins } from "./names.ts";

/** Of a longer text only the beginning is looked at: it is refused for its size. */
const MAX_TEXT = 4_000_000;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

/** True for a server whose namespace is anywhere in the text: in code, in a comment, in a string. */
export function mentions(script: string, { namespaces }: NamePins): (server: string) => boolean {
  const names = new Set(script.slice(0, MAX_TEXT).match(NAME));
  return (server) => names.has(namespaces.get(server) ?? server);
}
