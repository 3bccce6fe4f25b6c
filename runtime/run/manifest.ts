// Owns the text forms of what a run may name.
import type { Manifest } from "./request.ts";

const namesJson = new WeakMap<Manifest, string>();

/** For the record: namespace → identifier → [server, raw name]. */
export function manifestText(manifest: Manifest): string {
  const entries = [...manifest].map(([namespace, tools]) => [
    namespace,
    [...tools].map(([identifier, { server, tool }]) => [identifier, server, tool]),
  ]);
  return JSON.stringify(entries);
}

/** The way back from `manifestText`. */
export function parseManifest(text: string): Manifest {
  const entries = JSON.parse(text) as [string, [string, string, string][]][];
  return new Map(
    entries.map(([namespace, tools]) => [
      namespace,
      new Map(tools.map(([identifier, server, tool]) => [identifier, { server, tool }])),
    ]),
  );
}

/** For the guest: namespace → identifiers. Made once per set of tools. */
export function guestManifest(manifest: Manifest): string {
  let text = namesJson.get(manifest);
  if (text === undefined) {
    text = JSON.stringify(
      Object.fromEntries([...manifest].map(([namespace, tools]) => [namespace, [...tools.keys()]])),
    );
    namesJson.set(manifest, text);
  }
  return text;
}
