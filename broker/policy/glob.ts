// Owns globs over whole texts: `*` any run of characters, `?` one, `\` takes the next one literally.

type Piece = readonly (string | undefined)[];

export interface Glob {
  /** What stands between the stars, character by character; `undefined` is a `?`. */
  readonly pieces: readonly Piece[];
  /** The same as texts, when there is no `?`. */
  readonly texts: readonly string[] | undefined;
}

/** Compiles a glob. Every character but `*`, `?` and `\` stands for itself; a final `\` too. */
export function parseGlob(source: string): Glob {
  const pieces: (string | undefined)[][] = [[]];
  const characters = [...source];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!;
    const piece = pieces.at(-1)!;
    if (character === "*") {
      if (piece.length > 0 || pieces.length === 1) pieces.push([]);
    } else if (character === "?") piece.push(undefined);
    else if (character === "\\" && i + 1 < characters.length) piece.push(characters[++i]);
    else piece.push(character);
  }
  const texts = pieces.some((piece) => piece.includes(undefined))
    ? undefined
    : pieces.map((piece) => piece.join(""));
  return { pieces, texts };
}

/** True when the glob covers the whole text, newlines included. No backtracking: at most length × pattern steps. */
export function matchGlob(glob: Glob, text: string): boolean {
  return glob.texts === undefined ? matchPieces(glob.pieces, [...text]) : matchTexts(glob.texts, text);
}

/** The text the glob stands for when it holds no wildcard. */
export function globText({ texts }: Glob): string | undefined {
  return texts?.length === 1 ? texts[0] : undefined;
}

function matchTexts(texts: readonly string[], text: string): boolean {
  const first = texts[0]!;
  const last = texts.at(-1)!;
  if (texts.length === 1) return text === first;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  // The leftmost place of each middle piece is always as good as any later one.
  for (const middle of texts.slice(1, -1)) {
    const found = text.indexOf(middle, at);
    if (found === -1 || found + middle.length > end) return false;
    at = found + middle.length;
  }
  return true;
}

function matchPieces(pieces: readonly Piece[], text: readonly string[]): boolean {
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  if (pieces.length === 1) return text.length === first.length && fits(first, text, 0);
  if (text.length < first.length + last.length || !fits(first, text, 0)) return false;
  const end = text.length - last.length;
  if (!fits(last, text, end)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    while (at + piece.length <= end && !fits(piece, text, at)) at++;
    if (at + piece.length > end) return false;
    at += piece.length;
  }
  return true;
}

function fits(piece: Piece, text: readonly string[], at: number): boolean {
  for (let i = 0; i < piece.length; i++) {
    if (piece[i] !== undefined && piece[i] !== text[at + i]) return false;
  }
  return true;
}

/** Writes a text as a glob that matches exactly it; `also` names further characters to escape. */
export function escapeGlob(text: string, also: string = ""): string {
  return [...text]
    .map((c) => (c === "*" || c === "?" || c === "\\" || also.includes(c) ? `\\${c}` : c))
    .join("");
}
