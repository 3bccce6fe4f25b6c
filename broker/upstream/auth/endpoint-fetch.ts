// Owns requests to authorization servers: https only, bounded in time and size, without anything of the server's entry.
import { AccessProblem } from "../access-problem.ts";
import { urlOf } from "../http-dispatcher.ts";
import { printable } from "../printable.ts";
import { isSecure } from "./oauth-config.ts";

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1 << 20;

export type Fetch = typeof globalThis.fetch;

/**
 * `plain` is the guarded fetch of the server, whose own origin may be asked for metadata over http where the server
 * itself is. Answers are whole when they are returned. Throws AccessProblem.
 */
export function createEndpointFetch(plain: Fetch, server: URL, signal: AbortSignal): Fetch {
  return async (input, init) => {
    const url = urlOf(input);
    // Security: codes, secrets and tokens travel here. What the server names is not to be believed blindly.
    if (!isSecure(url) && url.origin !== server.origin) {
      throw new AccessProblem(`${place(url)} is not https, so nothing is asked there`);
    }
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signals = [signal, timeout, init?.signal].filter((one) => one !== undefined && one !== null);
    const request = {
      ...init,
      redirect: init?.redirect ?? "manual",
      signal: AbortSignal.any(signals),
    } as const;
    try {
      const response = await plain(input, request);
      const { status, statusText, headers } = response;
      const body = await wholeText(response, url);
      // Made anew, since the SDK knows its answers by the class, and undici has one of its own.
      const empty = status === 204 || status === 205 || status === 304;
      return new Response(empty ? null : body, { status, statusText, headers: [...headers] });
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      throw new AccessProblem(`${place(url)} gave no answer within ${TIMEOUT_MS / 1000} s`);
    }
  };
}

async function wholeText(response: Response, url: URL): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_BYTES) throw new AccessProblem(`the answer of ${place(url)} is larger than 1 MB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Where a URL points to, for messages: no path, no query. */
export function place(url: URL): string {
  return printable(`${url.protocol}//${url.host}`, 120);
}
