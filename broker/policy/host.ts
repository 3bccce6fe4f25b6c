// Owns the matcher `host`: does a URL lead to a host, however it is written?
import type { Truth } from "./truth.ts";

const MAX_URL = 8_192;
/** Scheme, plain host, port: nothing that two parsers could split differently. */
const CLEAR =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d*)?(?:[/?#]|$)/i;

export interface HostPattern {
  /** Lower case, punycode, no trailing dot. */
  readonly name: string;
  /** `*.name`: every host below the name, not the name itself. */
  readonly below: boolean;
  /** With colon; undefined means http or https. */
  readonly scheme: string | undefined;
  readonly port: string | undefined;
}

/** `example.com`, `*.example.com`, `example.com:8443`, `wss://example.com`; undefined when it is none of these. */
export function parseHost(source: string): HostPattern | undefined {
  const parts =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*\.)?(\[[0-9a-f:.]+\]|[^\s/\\:@?#%*[\]]+)(?::(\d{1,5}))?$/i.exec(source);
  if (parts === null) return undefined;
  const name = hostName(`http://${parts[3]}/`);
  if (name === undefined || name === "") return undefined;
  return {
    name,
    below: parts[2] !== undefined,
    scheme: parts[1] === undefined ? undefined : `${parts[1].toLowerCase()}:`,
    port: parts[4],
  };
}

/**
 * `yes` only for a URL that every parser reads alike: an ASCII host, no user name, backslash, space or
 * control character. `no` only when its host is surely another one.
 */
export function isHost(pattern: HostPattern, value: unknown): Truth {
  if (typeof value !== "string" || value.length > MAX_URL || !URL.canParse(value)) return "unsure";
  const url = new URL(value);
  const name = hostName(value);
  if (name === undefined || name === "") return "unsure";
  const clear = CLEAR.test(value) && !/[\s\\\p{Cc}]/u.test(value);
  if (!matches(pattern, name)) return clear ? "no" : "unsure";
  const scheme =
    pattern.scheme === undefined ? /^https?:$/.test(url.protocol) : url.protocol === pattern.scheme;
  const port = pattern.port === undefined || portOf(url) === pattern.port;
  return clear && scheme && port ? "yes" : "unsure";
}

function matches({ name, below }: HostPattern, host: string): boolean {
  return below ? host.endsWith(`.${name}`) : host === name;
}

function hostName(url: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(url);
    // Hosts of schemes the URL standard does not know are kept as written: read them the way http does.
    const name = /^(?:https?|wss?|ftp|file):$/.test(protocol)
      ? hostname
      : new URL(`http://${hostname}/`).hostname;
    return name.replace(/\.+$/, "");
  } catch {
    return undefined;
  }
}

function portOf(url: URL): string {
  if (url.port !== "") return url.port;
  return url.protocol === "https:" || url.protocol === "wss:" ? "443" : "80";
}
