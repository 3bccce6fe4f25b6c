// Owns the matcher `host`: does a URL lead to a host, however it is written?
import type { Truth } from "./truth.ts";

const MAX_URL = 8_192;
/** Scheme, plain host, port: nothing that two parsers could split differently. */
const CLEAR =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d*)?(?:[/?#]|$)/i;

/** Some parsers take what stands before such an `@` for a user name. */
const LATE_USER = /^[^/]*\/\/[^/?#]*[?#][^/]*@/;
/** An IPv4 address inside an IPv6 one: mapped, compatible, or behind a translator. */
const EMBEDDED = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b:.*:)[0-9a-f]{1,4}:[0-9a-f]{1,4}\]$/;

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

export interface ReadUrl {
  readonly name: string;
  /** Every parser reads it alike: an ASCII host, no user name, backslash, space or control character. */
  readonly clear: boolean;
  readonly scheme: string;
  readonly port: string;
}

/** Reads a text as a URL with a host; undefined when it is none. */
export function readUrl(text: string): ReadUrl | undefined {
  if (text.length > MAX_URL || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const name = hostName(text);
  if (name === undefined || name === "") return undefined;
  const clear =
    CLEAR.test(text) && !/[\s\\\p{Cc}]/u.test(text) && !LATE_USER.test(text) && isPlainAddress(name, text);
  return { name, clear, scheme: url.protocol, port: portOf(url) };
}

/** `yes` only for a clear URL of the host, `no` only when its host is surely another one. */
export function isHost(pattern: HostPattern, url: ReadUrl | undefined): Truth {
  if (url === undefined) return "unsure";
  if (!matches(pattern, url.name)) return url.clear ? "no" : "unsure";
  const scheme = pattern.scheme === undefined ? /^https?:$/.test(url.scheme) : url.scheme === pattern.scheme;
  const port = pattern.port === undefined || url.port === pattern.port;
  return url.clear && scheme && port ? "yes" : "unsure";
}

/** Not `0177.0.0.1`, `127.1` or a number, which some read as one address, some as another, and some as none. */
function isPlainAddress(name: string, text: string): boolean {
  if (EMBEDDED.test(name)) return false;
  return !/^\d+(?:\.\d+){3}$/.test(name) || text.slice(text.indexOf("//") + 2).startsWith(name);
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
