// Owns the sentence for a script that called a tool which does not exist, as far as V8's own message tells it.

/** Calls that look like `namespace.identifier`, best first; undefined when `namespace` holds no tools. */
export type NearestCalls = (namespace: string, identifier: string) => readonly string[] | undefined;

const NOT_A_FUNCTION = /^([A-Za-z_$][\w$]{0,80})\.([A-Za-z_$][\w$]{0,80}) is not a function$/u;

/** Undefined when the message speaks of something else. */
export function unknownToolMessage(message: string, nearest: NearestCalls): string | undefined {
  const [, namespace, identifier] = NOT_A_FUNCTION.exec(message) ?? [];
  if (namespace === undefined || identifier === undefined) return undefined;
  const near = nearest(namespace, identifier);
  if (near === undefined) return undefined;
  const meant =
    near.length === 0 ? "Use catalog.search(query) to find one." : `Did you mean ${near.join(" or ")}?`;
  return `There is no tool ${namespace}.${identifier}. ${meant}`;
}
