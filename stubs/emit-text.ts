// Owns how texts of others enter generated TypeScript: as quoted names and literals, and inside comments.
import { printable } from "../contract/schema/printable.ts";

/** A string literal that shows what it holds and ends where it should. */
export function quote(text: string): string {
  return (
    JSON.stringify(text)
      // Security: what is invisible, reorders text or ends a line is written as an escape.
      .replace(
        /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f]/gu,
        escapeUnits,
      )
      // Security: a literal may be printed where a comment would end.
      .replaceAll("*/", "*\\/")
  );
}

function escapeUnits(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}

/** A property name as TypeScript wants it: bare when it is an identifier, else quoted. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** One line that can stand in any comment and stays there. */
export function commentText(text: string, maxLength: number): string {
  return (
    printable(text, maxLength)
      // Security: nothing ends the comment early, nothing is taken for a directive to the compiler.
      .replaceAll("*/", "*\\/")
      .replace(/@(?=ts-)/gi, "")
      .replace(/^\/+/, (slashes) => slashes.split("").join(" "))
  );
}

const LATER = /(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|max|min|no|cf|resp)|\b[A-Z])$/i;

/** The first sentence of a description, cut at `maxLength` UTF-16 units. */
export function firstSentence(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength * 4).trimStart();
  // A blank line, a list or a heading ends the sentence as well, and so does a line that is clearly not full.
  const block = start.split(/\r?\n\s*(?:\r?\n|[-*#•>|]|\d+[.)]|[A-Z][\w ]{0,40}:)/, 1)[0] ?? "";
  const line = /^[^\n]{1,60}\n(?=\s*[A-Z])/.exec(block)?.[0] ?? block;
  for (const match of line.matchAll(/[.!?](?=\s)|[。！？]/g)) {
    const sentence = line.slice(0, match.index);
    if (!LATER.test(sentence)) return commentText(`${sentence}${match[0]}`, maxLength);
  }
  return commentText(line, maxLength);
}
