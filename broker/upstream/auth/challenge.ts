// Owns the reading of `WWW-Authenticate`: what a server says that a request needs.
import { printable } from "../printable.ts";

export interface Challenge {
  readonly error?: string;
  /** Scopes asked for. */
  readonly scopes?: readonly string[];
  readonly resourceMetadata?: URL;
}

const MAX_HEADER = 8_000;
const MAX_SCOPES = 50;
/** A token, and what may follow it: `=` with a value, or the parameters of a new scheme. */
const PART = /\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?\s*,?/y;

/** Reads the first Bearer challenge; an odd or absent header gives an empty one. */
export function readChallenge(headers: Headers): Challenge {
  const text = (headers.get("www-authenticate") ?? "").slice(0, MAX_HEADER);
  let scheme = "";
  const found = new Map<string, string>();
  PART.lastIndex = 0;
  for (let match = PART.exec(text); match !== null && match[0] !== ""; match = PART.exec(text)) {
    const [, name = "", quoted, plain] = match;
    if (quoted === undefined && plain === undefined) {
      if (scheme === "bearer") break;
      scheme = name.toLowerCase();
    } else if (scheme === "bearer" && !found.has(name.toLowerCase())) {
      found.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
    }
  }
  const error = found.get("error");
  const scopes = readScopes(found.get("scope"));
  const metadata = URL.parse(found.get("resource_metadata") ?? "");
  return {
    ...(error === undefined ? {} : { error: printable(error, 60) }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(metadata === null ? {} : { resourceMetadata: metadata }),
  };
}

/** Scopes of a space-separated text: only such as RFC 6749 allows, each once, no more than fifty. */
export function readScopes(text: string | undefined): readonly string[] {
  const all = (text ?? "").slice(0, MAX_HEADER).split(" ");
  return [...new Set(all.filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope)))].slice(
    0,
    MAX_SCOPES,
  );
}
