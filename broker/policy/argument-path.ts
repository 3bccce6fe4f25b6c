// Owns argument paths: how a policy names a value inside the arguments of a call.
import { isJsonObject, own, type JsonObject, type JsonValue } from "../../contract/json.ts";

/** A member name, or every element of an array (every member of an object). */
type Segment = { readonly name: string } | "every";

export interface ArgumentPath {
  readonly source: string;
  readonly segments: readonly Segment[];
}

/** What lies at a path. `odd` = something on the way has a type that cannot hold the rest of the path. */
export type Found =
  | {
      readonly type: "values";
      readonly values: readonly JsonValue[];
      readonly partial: boolean;
      readonly odd: boolean;
    }
  | { readonly type: "absent" }
  | { readonly type: "odd" };

/**
 * `name`, `outer.inner`, `list.*` (every element). `\` takes the next character literally: `a\.b` is one name.
 * Returns undefined for an empty name.
 */
export function parseArgumentPath(source: string): ArgumentPath | undefined {
  const segments: Segment[] = [];
  let name = "";
  let plainStar = false;
  const close = (): boolean => {
    if (name === "") return false;
    segments.push(plainStar && name === "*" ? "every" : { name });
    name = "";
    plainStar = false;
    return true;
  };
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    if (character === "\\" && i + 1 < source.length) name += source[++i]!;
    else if (character !== ".") {
      plainStar ||= character === "*";
      name += character;
    } else if (!close()) return undefined;
  }
  return close() ? { source, segments } : undefined;
}

/**
 * Reads own properties only; a name such as `constructor` is absent unless the arguments hold it. `twins` gives the names
 * of an object that look like one: Security: a server that does not tell `path` from `PATH` acts on either.
 */
export function readArgument(
  path: ArgumentPath,
  args: JsonObject,
  twins: (object: JsonObject, name: string) => readonly string[],
): Found {
  let values: JsonValue[] = [args];
  let partial = false;
  let odd = false;
  for (const segment of path.segments) {
    const next: JsonValue[] = [];
    for (const value of values) {
      if (typeof value !== "object" || value === null) odd = true;
      else if (segment === "every") for (const member of Object.values(value)) next.push(member);
      else if (!isJsonObject(value)) odd = true;
      else {
        const alike = twins(value, segment.name);
        if (alike.length > 0) odd = true;
        for (const name of alike) next.push(own(value, name) as JsonValue);
        if (Object.hasOwn(value, segment.name)) next.push(own(value, segment.name) as JsonValue);
        else if (alike.length === 0) partial = true;
      }
    }
    values = next;
  }
  if (values.length > 0) return { type: "values", values, partial, odd };
  return odd ? { type: "odd" } : { type: "absent" };
}
