// Owns who may speak to the HTTP endpoint: Host, Origin and bearer token, looked at before anything is read.
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";

export interface GuardOptions {
  /** Names a request may use for this endpoint, besides loopback's own. */
  readonly hosts: readonly string[];
  /** True when any address literal may be used: the endpoint listens on all of them. */
  readonly anyAddress: boolean;
  /** Holder → token. Without any, nobody is asked for one. */
  readonly tokens: ReadonlyMap<string, string>;
}

export type Verdict =
  | { readonly ok: true; /** Whose token it was. */ readonly holder: string | undefined }
  | { readonly ok: false; readonly status: 401 | 403; readonly message: string };

export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly authorization?: string | undefined;
}

export type Guard = (headers: RequestHeaders) => Verdict;

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function createGuard(options: GuardOptions): Guard {
  const names = new Set([...LOOPBACK, ...options.hosts].map((name) => name.toLowerCase()));
  const digests = [...options.tokens].map(([holder, token]) => ({ holder, digest: digestOf(token) }));
  const known = (host: string): boolean =>
    names.has(host) || (options.anyAddress && isIP(host.replace(/^\[|\]$/g, "")) !== 0);

  return ({ host, origin, authorization }) => {
    // Security: a page of another site can be made to reach this address under its own name (DNS rebinding).
    if (!known(hostOf(host))) return refusal(403, "This host name is not served here.");
    if (origin !== undefined && !known(originHost(origin)))
      return refusal(403, "This origin is not allowed.");
    if (digests.length === 0) return { ok: true, holder: undefined };
    const given = digestOf(/^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1] ?? "");
    // Security: digests of one length, compared in constant time, and always all of them.
    const match = digests.filter(({ digest }) => timingSafeEqual(digest, given));
    const [holder] = match;
    return holder === undefined
      ? refusal(401, "A bearer token is required.")
      : { ok: true, holder: holder.holder };
  };
}

function hostOf(header: string | undefined): string {
  return /^(\[[0-9a-f:.]+\]|[^\s:@/\\[\]]+)(?::\d{1,5})?$/i.exec(header ?? "")?.[1]?.toLowerCase() ?? "";
}

function originHost(origin: string): string {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return "";
  return new URL(origin).hostname;
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refusal(status: 401 | 403, message: string): Verdict {
  return { ok: false, status, message };
}
