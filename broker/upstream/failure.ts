// Owns what an error of the SDK or the network means: who failed, and whether the request may have arrived.
import { ProtocolError, SdkError, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { accessProblemIn, type AuthNeed } from "./access-problem.ts";
import { printable } from "./printable.ts";
import { labelledRetryAfter } from "./retry-after.ts";

export type Failure =
  /** The server answered the request itself with a JSON-RPC error. */
  | { readonly kind: "rpc"; readonly code: number; readonly message: string }
  /** The HTTP session is unknown to the server; the request was not looked at. */
  | { readonly kind: "session-lost"; readonly message: string }
  /** No usable answer. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly sent: boolean;
      readonly status?: number;
      /** How long the server asks to be left alone. */
      readonly retryAfterMs?: number;
      readonly auth?: AuthNeed;
      /** The process or connection is gone. */
      readonly dead: boolean;
    }
  /** An answer came, but of a kind Callgate cannot use. */
  | { readonly kind: "unusable"; readonly message: string };

/** Cut again, shorter, once secrets are out. */
const MAX_TEXT = 4_000;

/** Codes of the system, of TLS and of the HTTP client; those of the SDK look alike. */
const NETWORK_CODE = /^(?!ERA_)(?:E[A-Z]|UND_ERR_|CERT_|DEPTH_)/;

const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  // A pipe nobody reads any more; a part of a line that may have arrived before is not acted upon.
  "EPIPE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);
const GONE = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);
const DEAD = new Set(["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]);

/** `sent`: the request was handed to the transport; `session`: the connection has an HTTP session. */
export function readFailure(
  error: unknown,
  context: { readonly sent: boolean; readonly session: boolean },
): Failure {
  const { sent } = context;
  const problem = accessProblemIn(error);
  if (problem !== undefined) {
    const { message, status, auth } = problem;
    const facts = { ...(status === undefined ? {} : { status }), ...(auth === undefined ? {} : { auth }) };
    return { kind: "unavailable", message, sent: false, dead: false, ...facts };
  }
  if (SdkHttpError.isInstance(error)) {
    const { status, text, statusText } = error.data;
    const failure = readHttp(status, typeof text === "string" && text !== "" ? text : error.message, context);
    const retryAfterMs = labelledRetryAfter(statusText);
    return failure.kind === "unavailable" && retryAfterMs !== undefined
      ? { ...failure, retryAfterMs }
      : failure;
  }
  if (UnauthorizedError.isInstance(error)) return readStatus(401, "", sent);
  if (ProtocolError.isInstance(error)) {
    return { kind: "rpc", code: Number(error.code), message: printable(error.message, MAX_TEXT) };
  }
  const message = plainMessage(error);
  if (SdkError.isInstance(error)) {
    const code = String(error.code);
    if (DEAD.has(code)) return { kind: "unavailable", message: "the connection closed", sent, dead: true };
    if (code === "REQUEST_TIMEOUT")
      return { kind: "unavailable", message: "no answer in time", sent, dead: false };
    const network = networkCode(error);
    if (network !== undefined)
      return { kind: "unavailable", message: networkSentence(network), sent, dead: false };
    if (sent) return { kind: "unusable", message: printable(message, MAX_TEXT) };
    return { kind: "unavailable", message: printable(message, MAX_TEXT), sent, dead: false };
  }
  const posted = /^Error POSTing to endpoint \(HTTP (\d{3})\): (.*)/s.exec(message);
  if (posted !== null) return readHttp(Number(posted[1]), posted[2] ?? "", context);
  if (message === "Not connected") {
    return { kind: "unavailable", message: "the connection closed", sent: false, dead: true };
  }
  const code = networkCode(error);
  return {
    kind: "unavailable",
    message: code === undefined ? printable(message, MAX_TEXT) : networkSentence(code),
    sent: sent && (code === undefined || !NEVER_SENT.has(code)),
    dead: code !== undefined && GONE.has(code),
  };
}

function readHttp(
  status: number,
  text: string,
  context: { readonly sent: boolean; readonly session: boolean },
): Failure {
  // Some servers answer 400 where the specification asks for 404.
  if (context.session && (status === 404 || (status === 400 && /session/i.test(text)))) {
    return { kind: "session-lost", message: `the server no longer knows the session (HTTP ${status})` };
  }
  return readStatus(status, text, context.sent);
}

function readStatus(status: number, text: string, sent: boolean): Failure {
  const said = text === "" ? "" : `: ${printable(text, MAX_TEXT)}`;
  const base = { kind: "unavailable", status, dead: false } as const;
  if (status === 401) {
    return { ...base, sent: false, message: "it wants authorization (HTTP 401); set headers.Authorization" };
  }
  if (status === 403) return { ...base, sent: false, message: `it refused access (HTTP 403)${said}` };
  if (status >= 300 && status < 400) {
    return {
      ...base,
      sent: false,
      message: `it redirects elsewhere (HTTP ${status}); put the final URL into the config`,
    };
  }
  return { ...base, sent: sent && status >= 500, message: `it answered HTTP ${status}${said}` };
}

/** What lies under the words "fetch failed". */
function plainMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const under = error.message.endsWith("fetch failed") ? error.cause : undefined;
  return under === undefined ? error.message : `the request failed: ${plainMessage(under)}`;
}

function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 5; depth += 1) {
    const { code, cause, data } = at as { code?: unknown; cause?: unknown; data?: { cause?: unknown } };
    if (typeof code === "string" && NETWORK_CODE.test(code)) return code;
    at = cause ?? data?.cause;
  }
  return undefined;
}

function networkSentence(code: string): string {
  if (code === "ECONNREFUSED") return "nothing listens at its URL (ECONNREFUSED)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host of its URL was not found (${code})`;
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "its host did not accept a connection in time";
  return `the connection failed (${code})`;
}
