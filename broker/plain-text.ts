// Owns how an outside name or value is put into a sentence: one line, bounded, nothing invisible.

/**
 * Characters that show nothing, or move what is shown: controls, fillers, tags, and variation selectors, which can carry a
 * text of their own unseen. The selector that makes a sign an emoji is left alone behind one.
 */
export const HIDDEN: RegExp =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u2800\u3164\uffa0\ufe00-\ufe0e\ufff0-\ufff8\u{e0000}-\u{e0fff}]|(?<!\p{Extended_Pictographic})\ufe0f/gu;

/** `text` without control, format, bidirectional or surrogate characters, at most `max` characters. */
export function plain(text: string, max: number = 80): string {
  // Security: cut before the replacement, so that the work is bounded whatever the length of `text`.
  const clean = text.slice(0, max * 4).replace(HIDDEN, "�");
  return clean.length <= max && text.length <= max * 4 ? clean : `${cut(clean, max - 1)}…`;
}

/** The same in double quotes. */
export function quoted(text: string, max: number = 80): string {
  return JSON.stringify(plain(text, max));
}

function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
