// Owns the one function that every text from a script or a server passes on its way to a terminal.

// Escape sequences, overrides of direction, and characters that show nothing at all. Line ends and tabs stay.
const IN_TEXT =
  /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
// In one line nothing may hide: not a line end, not a joiner, not a filler that looks like a space, not a variation
// selector, but for the one that makes a sign an emoji.
const IN_LINE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u2800\u3164\uffa0\ufe00-\ufe0e\ufff0-\ufff8\u{e0000}-\u{e0fff}]|(?<!\p{Extended_Pictographic})\ufe0f/gu;

const NAMES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function escape(character: string): string {
  const code = character.codePointAt(0) as number;
  const short = NAMES.get(character);
  if (short !== undefined) return short;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/**
 * Makes control and bidirectional characters visible as escapes (`\u001b`). Lines stay lines; CRLF becomes LF.
 * Security: without it a script could clear the screen, forge a prompt, or show other text than it holds.
 */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(IN_TEXT, escape);
}

/** The same for one line of at most `limit` UTF-16 units: line ends and every invisible character are escaped too. */
export function visibleLine(text: string, limit: number = 200): string {
  const shown = text.slice(0, limit + 1).replace(IN_LINE, escape);
  if (shown.length <= limit && text.length <= limit) return shown;
  return `${shown.slice(0, Math.max(0, limit - 1)).replace(/[\ud800-\udbff]$/u, "")}…`;
}
