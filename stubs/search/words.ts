// Owns how text becomes words and search terms: camel-case split, stop words, stems, pairs of CJK characters.
import { stemmer } from "stemmer";

/** Longest text read from one field, in UTF-16 units; the rest is not searched. */
export const MAX_TEXT = 20_000;
const MAX_WORD = 48;
const MAX_CACHE = 50_000;

const STOP: ReadonlySet<string> = new Set(
  (
    "a an and are as at be by for from in is it of on or that the this to with i me my we you your can could " +
    "please would about into what how do does want need help using use find get give"
  ).split(" "),
);

// 0 = separator, 1 = lower case or digit, 2 = upper case.
const KIND: Uint8Array = (() => {
  const kinds = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) kinds[code] = 1;
    else if (code >= 65 && code <= 90) kinds[code] = 2;
  }
  return kinds;
})();
// Dashes, quotation marks, arrows and signs hold no letters: a text with these alone is read the fast way.
const HARD = /[^\0-\x7f\u2000-\u206f\u2190-\u23ff\u2500-\u2bff]/;
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu;
const CJK_START =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]/u;

/** Calls `take` with every word of a text in order, in lower case; `getHTTPUrl` gives get, http, url. */
export function eachWord(text: string, take: (word: string) => void): void {
  // Security: the work is bounded whatever a server or a script sends.
  const bounded = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (HARD.test(bounded)) eachUnicodeWord(bounded, take);
  else eachAsciiWord(bounded, take);
}

function eachAsciiWord(text: string, take: (word: string) => void): void {
  const end = text.length;
  let start = -1;
  let previous = 0;
  let capitals = false;
  for (let at = 0; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : 0;
    const kind = code < 128 ? (KIND[code] as number) : 0;
    if (start >= 0 && (kind === 0 || (kind === 2 && (previous === 1 || startsWord(text, at))))) {
      const word = text.slice(start, Math.min(at, start + MAX_WORD));
      take(capitals ? word.toLowerCase() : word);
      start = -1;
    }
    if (kind !== 0 && start < 0) {
      start = at;
      capitals = false;
    }
    if (kind === 2) capitals = true;
    previous = kind;
  }
}

/** True for the last capital of a run when a lower-case letter follows it. */
function startsWord(text: string, at: number): boolean {
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return next >= 97 && next <= 122;
}

function eachUnicodeWord(text: string, take: (word: string) => void): void {
  const spaced = text
    .normalize("NFKC")
    .slice(0, MAX_TEXT)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase();
  for (const [run] of spaced.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const [part] of run.matchAll(CJK)) {
      if (!CJK_START.test(part)) take(part.slice(0, MAX_WORD));
      else eachPair(part, take);
    }
  }
}

/** Scripts without spaces have no words: their overlapping pairs stand in. */
function eachPair(run: string, take: (word: string) => void): void {
  const characters = [...run];
  if (characters.length === 1) take(run);
  for (let at = 0; at + 1 < characters.length; at++) take(`${characters[at]}${characters[at + 1]}`);
}

/** The words of a text in order, in lower case. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

/** Words of a text without spaces: equal for `listIssues`, `list_issues`, `list-issues` and `ListISSUES`. */
export function compactForm(text: string): string {
  return wordsOf(text).join("");
}

const stems = new Map<string, string | undefined>();

/** The search term of a word; `undefined` for a stop word. */
export function termOf(word: string): string | undefined {
  const known = stems.get(word);
  if (known !== undefined || stems.has(word)) return known;
  const term = STOP.has(word) ? undefined : stemmer(word);
  if (stems.size >= MAX_CACHE) stems.clear();
  stems.set(word, term);
  return term;
}
