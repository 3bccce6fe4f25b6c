// Owns how long a server asks to be left alone.

const LABEL = "retry-after-ms=";

/** `Retry-After` in ms: seconds, or a date held against the `Date` of the same response. Undefined when absent or odd. */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1_000;
  const wait = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** Puts the wait where it outlives the SDK, which keeps the status text of a refused request but no header. */
export function labelRetryAfter(response: Response): Response {
  const wait =
    response.status === 429 || response.status === 503 ? readRetryAfter(response.headers) : undefined;
  if (wait === undefined) return response;
  const { status, headers, body } = response;
  return new Response(body, { status, statusText: `${LABEL}${wait}`, headers: [...headers] });
}

/** The wait that `labelRetryAfter` put there. */
export function labelledRetryAfter(statusText: unknown): number | undefined {
  if (typeof statusText !== "string" || !statusText.startsWith(LABEL)) return undefined;
  return Number(statusText.slice(LABEL.length));
}
