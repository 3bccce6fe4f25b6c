// Owns what may be shown of a text written by others: no controls, no reordering, nothing invisible, bounded.

// Security: bidirectional, zero-width, tag and variation characters change what a reader sees; controls and
// separators can end a line or a comment; lone surrogates are not text.
const UNSHOWABLE: RegExp =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;

/** One line of showable text; runs of white space and controls become one space, invisible characters vanish. */
export function printable(text: string, maxLength: number): string {
  // Security: the cost is bounded before any expression runs over the text.
  const bounded = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  const line = bounded
    .replace(/[\s\u0085]+/gu, " ")
    .replace(UNSHOWABLE, "")
    .replace(/ {2,}/g, " ")
    .trim();
  return clip(line, maxLength);
}

/** A name or value of others in quotes, for messages. */
export function quoted(text: string, maxLength = 80): string {
  return JSON.stringify(printable(text, maxLength));
}

/** Cuts at `maxLength` UTF-16 units with an ellipsis, never inside a surrogate pair. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, Math.max(0, maxLength - 1));
  return `${cut.replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}
