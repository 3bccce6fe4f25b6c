// Owns the words of scripts and servers as a person may safely read them.

// Security: control, format and bidirectional characters could hide or reorder what is asked.
// Spaces that are not the usual one could be taken for it.
// Fillers and variation selectors show nothing either, and can carry a text of their own.
const UNSEEN =
  /(?! )[\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}]|(?<!\p{Extended_Pictographic})\ufe0f/gu;

/** Keeps line breaks; everything else that cannot be seen becomes an escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => (one === "\n" ? one : escaped(one)));
}

/** One line of at most `max` characters and an ellipsis. */
export function visibleLine(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return cut.replace(UNSEEN, escaped);
}

function escaped(one: string): string {
  const code = (one.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
