// Owns how text from servers is made fit for a message: one line, bounded, no control characters, no secrets.
import { HIDDEN } from "../plain-text.ts";
import { createRedactor, type Redactor } from "../redact.ts";

const HIDDEN_RUN = new RegExp(`(?:${HIDDEN.source})+`, "gu");

/**
 * One line of at most `limit` UTF-16 units (default 200). Control characters, line breaks and
 * everything else that cannot be seen become spaces; a cut is marked with an ellipsis and never splits a surrogate pair.
 */
export function printable(value: unknown, limit: number = 200): string {
  const text = typeof value === "string" ? value : String(value);
  // Security: escape sequences reach terminals, bidirectional overrides reorder what a person approves.
  const clean = text
    .slice(0, limit * 4 + 16)
    .replaceAll(HIDDEN_RUN, " ")
    .trim();
  if (clean.length <= limit && text.length <= limit * 4 + 16) return clean.toWellFormed();
  const kept = clean.slice(0, limit - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`.toWellFormed();
}

const redactors = new WeakMap<readonly string[], Redactor>();

/** Without the secrets in any form they travel in, and without texts shaped like credentials. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let redactor = redactors.get(secrets);
  if (redactor === undefined) redactors.set(secrets, (redactor = createRedactor({ secrets })));
  return redactor.redact(text);
}
