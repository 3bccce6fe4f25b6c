// Owns the built-in kinds of values: where a text holds an e-mail address, a phone number, an IBAN, a card number.
// Security: every search takes time in proportion to the text, since scripts and servers write it.
import { ibanLength, isIban, isLuhn } from "./check-digits.ts";
import type { Span } from "./policy/regex-search.ts";

/** The parts of a text that are values of a built-in kind, in any order; they may overlap. */
export const FINDERS: ReadonlyMap<string, (text: string) => Span[]> = new Map([
  ["email", findEmails],
  ["phone", findPhones],
  ["iban", findIbans],
  ["card", findCards],
]);

const LOCAL = /[\p{L}\p{N}\p{M}._+'-]/u;
const DOMAIN = /[\p{L}\p{N}\p{M}.-]/u;
const DOMAIN_NAME = /^(?:[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+/u;
const LAST_LABEL = /^\p{L}[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}]/u;
const MAX_HOST = 255;
const WORD = /[\p{L}\p{N}_]/u;

// Both sides are walked from the @ and end at the next one, so each character is looked at twice at most.
function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && LOCAL.test(text[start - 1]!)) start--;
    while (start < at && /[.'-]/.test(text[start]!)) start++;
    let stop = at + 1;
    while (stop < text.length && stop - at < MAX_HOST && DOMAIN.test(text[stop]!)) stop++;
    const length = domainLength(text.slice(at + 1, stop));
    if (start < at && length > 0) spans.push({ start, end: at + 1 + length });
  }
  return spans;
}

/** Characters of the host name at the start, with at least two labels; 0 when there is none. */
function domainLength(text: string): number {
  for (let head = DOMAIN_NAME.exec(text)?.[0]; head !== undefined && head.length > 0;) {
    const last = LAST_LABEL.exec(text.slice(head.length));
    if (last !== null) return head.length + last[0].length;
    // "example.com.": what was taken for the head ends with the last label.
    const shorter: string = head.slice(0, head.lastIndexOf(".", head.length - 2) + 1);
    if (shorter === "") return 0;
    head = shorter;
  }
  return 0;
}

const MAX_PHONE_DIGITS = 15;
const PHONE_START = /(?<![\p{L}\p{N}_+])(?:\+(?=\(?\d)|00(?=[1-9])|(?:\((?=0\d{1,5}\)))?0(?=[1-9]))/gu;
const NORTH_AMERICAN =
  /(?<![\p{L}\p{N}_.+-])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\p{L}\p{N}_-])/gu;
const DATE = /^\d\d[-/. ]\d\d[-/. ](?:19|20)\d\d/;

function findPhones(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(PHONE_START)) {
    const start = match.index;
    if (start < (spans.at(-1)?.end ?? 0)) continue;
    const [head] = match;
    const most = MAX_PHONE_DIGITS + (head === "00" ? 2 : 0);
    const { end, digits, separated } = walkNumber(text, start, most);
    const enough = head === "+" ? digits >= 7 : head === "00" ? digits >= 10 : digits >= 9 && separated;
    if (!enough || DATE.test(text.slice(start, start + 10))) continue;
    spans.push({ start, end });
  }
  for (const { index, 0: found } of text.matchAll(NORTH_AMERICAN))
    spans.push({ start: index, end: index + found.length });
  return spans;
}

interface WalkedNumber {
  readonly end: number;
  readonly digits: number;
  readonly separated: boolean;
}

/**
 * Digits and what people put between them, from `start` on: as many whole groups as a number can have. What follows
 * is taken for something else.
 */
function walkNumber(text: string, start: number, most: number): WalkedNumber {
  let fits: WalkedNumber = { end: start, digits: 0, separated: false };
  let digits = 0;
  let groups = 0;
  let gap = 1;
  for (let i = text[start] === "+" ? start + 1 : start; i < text.length && digits <= most; i++) {
    const character = text[i]!;
    if (character >= "0" && character <= "9") {
      if (gap > 0) groups++;
      digits++;
      gap = 0;
      const next = text[i + 1] ?? "";
      const ends = next < "0" || next > "9";
      if (ends && digits <= most) fits = { end: i + 1, digits, separated: groups > 1 };
    } else if (" .-/()\u00a0\u2011".includes(character) && gap < 4) gap++;
    else break;
  }
  return fits;
}

const IBAN_START = /(?<![\p{L}\p{N}_])[A-Za-z]{2}\d{2}/gu;

function findIbans(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: head } of text.matchAll(IBAN_START)) {
    const wanted = ibanLength(head.slice(0, 2).toUpperCase());
    if (wanted === undefined) continue;
    const end = walkGroups(text, index, wanted, /[A-Za-z0-9]/);
    if (end === undefined || (end < text.length && WORD.test(text[end]!))) continue;
    if (isIban(text.slice(index, end).replaceAll(/[^A-Za-z0-9]/g, ""))) spans.push({ start: index, end });
  }
  return spans;
}

const CARD_START = /(?<![\p{L}\p{N}_]|\d\.)[2-6]/gu;

function findCards(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index } of text.matchAll(CARD_START)) {
    if (index < (spans.at(-1)?.end ?? 0)) continue;
    for (let length = 19; length >= 13; length--) {
      const end = walkGroups(text, index, length, /\d/);
      if (end === undefined || (end < text.length && WORD.test(text[end]!))) continue;
      if (!isLuhn(text.slice(index, end).replaceAll(/\D/g, ""))) continue;
      spans.push({ start: index, end });
      break;
    }
  }
  return spans;
}

/** Where `count` such characters end, with at most one space or dash between two of them. */
function walkGroups(text: string, start: number, count: number, member: RegExp): number | undefined {
  let seen = 0;
  let gap = 0;
  for (let i = start; i < text.length; i++) {
    if (member.test(text[i]!)) {
      seen++;
      gap = 0;
      if (seen === count) return i + 1;
    } else if (" -\u00a0".includes(text[i]!) && gap === 0) gap = 1;
    else return undefined;
  }
  return undefined;
}
