// Owns how an outside name or value is put into a sentence: one line, bounded, nothing invisible.

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** `text` without control, format, bidirectional or surrogate characters, at most `max` characters. */
export function plain(text: string, max: number = 80): string {
  // Security: cut before the replacement, so that the work is bounded whatever the length of `text`.
  const clean = text.slice(0, max * 4).replace(INVISIBLE, "�");
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
