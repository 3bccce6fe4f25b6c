// Owns what must never be shown: known secrets in the forms they travel in, and texts shaped like credentials.
import { CREDENTIAL_SHAPES, privateKeyBlocks } from "./credential-shapes.ts";
import type { LiveSecrets } from "./live-secrets.ts";

export const REDACTED = "«redacted»";

/** Shorter secrets are not searched for: they occur in ordinary text, and hiding those would say what they are. */
export const MIN_SECRET_LENGTH: number = 6;

export interface Redactor {
  /** The text with every secret and credential shape replaced. Time and memory grow with its length only. */
  redact(text: string): string;
}

/** A redactor that learns of secrets while it is in use. */
export interface GrowingRedactor extends Redactor {
  learn(secrets: readonly string[]): void;
}

/**
 * `secrets`: exact values (tokens, headers, environment values) of at least 6 characters, found as they are, in base64
 * (at any alignment, either alphabet), percent-encoded, in hexadecimal and escaped as in JSON. A secret cut in two by
 * whoever passes the text on is not found. `live` may gain secrets later; they are hidden from then on.
 */
export function createRedactor(options: {
  readonly secrets: readonly string[];
  readonly live?: Pick<LiveSecrets, "values" | "version">;
}): GrowingRedactor {
  const { live } = options;
  const learned = new Set<string>();
  let version = -1;
  let needles: readonly string[] = [];
  const prepare = (): void => {
    version = live?.version ?? 0;
    needles = needlesOf([...learned, ...(live?.values() ?? [])]);
  };
  const learn = (secrets: readonly string[]): void => {
    for (const secret of secrets) learned.add(secret);
    prepare();
  };
  learn(options.secrets);
  return {
    learn,
    redact(text) {
      if (live !== undefined && live.version !== version) prepare();
      const spans: Span[] = [];
      for (const needle of needles) findAll(text, needle, spans);
      for (const { pattern, group } of CREDENTIAL_SHAPES) findShape(text, pattern, group, spans);
      for (const [start, end] of privateKeyBlocks(text)) spans.push({ start, end });
      return spans.length === 0 ? text : cover(text, spans);
    },
  };
}

function needlesOf(secrets: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) for (const form of formsOf(secret)) forms.add(form);
  }
  return [...forms].toSorted((a, b) => b.length - a.length);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function findAll(text: string, needle: string, spans: Span[]): void {
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const last = spans.at(-1);
    // Occurrences of one needle may overlap; the next search starts one further, so join as they come.
    if (last !== undefined && last.start <= at && last.end >= at) {
      spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, at + needle.length) };
    } else spans.push({ start: at, end: at + needle.length });
  }
}

function findShape(text: string, pattern: RegExp, group: number, spans: Span[]): void {
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices![group]!;
    spans.push({ start, end });
  }
}

function cover(text: string, spans: Span[]): string {
  spans.sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let shownTo = 0;
  let hiddenTo = -1;
  for (const { start, end } of spans) {
    if (start > hiddenTo) {
      parts.push(text.slice(shownTo, start), REDACTED);
      hiddenTo = end;
    } else hiddenTo = Math.max(hiddenTo, end);
    shownTo = hiddenTo;
  }
  parts.push(text.slice(shownTo));
  return parts.join("");
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const encoded = encodeURIComponent(secret.toWellFormed());
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
  ];
  for (const offset of [0, 1, 2]) {
    const base64 = innerBase64(bytes, offset);
    forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms.filter((form) => form.length >= MIN_SECRET_LENGTH);
}

// Inside a longer text ("user:secret") the secret starts at any of three alignments; only the characters that depend
// on it alone can be searched for. The one or two at its edges give away at most four bits each.
function innerBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(from, to);
}
