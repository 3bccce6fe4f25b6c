// Owns the shapes of common credentials. Every pattern is linear: it starts at a fixed text and never looks back.

/** `group` is the part to hide; the pattern carries the flags g and d. */
export interface CredentialShape {
  readonly pattern: RegExp;
  readonly group: number;
}

// Security: "not after a token character" keeps a failed attempt from starting again inside the same run.
const START = String.raw`(?<![A-Za-z0-9_-])`;

const TOKENS: readonly string[] = [
  String.raw`sk-[A-Za-z0-9_-]{16,}`,
  String.raw`[srp]k_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`gh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`github_pat_[A-Za-z0-9_]{20,}`,
  String.raw`glpat-[A-Za-z0-9_-]{16,}`,
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`xapp-[A-Za-z0-9-]{10,}`,
  String.raw`AIza[A-Za-z0-9_-]{35}`,
  String.raw`ya29\.[A-Za-z0-9_-]{20,}`,
  String.raw`npm_[A-Za-z0-9]{36}`,
  String.raw`hf_[A-Za-z0-9]{30,}`,
  String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
];

export const CREDENTIAL_SHAPES: readonly CredentialShape[] = [
  { pattern: new RegExp(`${START}(?:${TOKENS.join("|")})`, "gd"), group: 0 },
  // A digit keeps prose after the word "bearer" readable.
  {
    pattern:
      /(?<![A-Za-z0-9])bearer[ \t]{1,4}((?=[A-Za-z._~+/-]{0,200}[0-9])[A-Za-z0-9._~+/-]{16,}={0,2})/dgi,
    group: 1,
  },
  {
    pattern:
      /(?<![A-Za-z0-9])authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,4}([A-Za-z0-9+/_-]{6,}={0,2})/dgi,
    group: 1,
  },
  // The password of a URL: scheme://user:password@host
  { pattern: /:\/\/[^\s/:@"'<>]{0,128}:([^\s/@"'<>]{3,128})@/dg, group: 1 },
];

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_KEY = 32_768;
const BODY = /[A-Za-z0-9+/=\\\s:,.-]{0,32768}/y;

/** Start and end of each private key block; one without its end goes as far as its body can. */
export function privateKeyBlocks(text: string): [number, number][] {
  const blocks: [number, number][] = [];
  if (!text.includes("-----BEGIN ")) return blocks;
  let end: RegExpExecArray | null | undefined;
  for (let begin = find(BEGIN, text, 0); begin !== null;) {
    const body = begin.index + begin[0].length;
    // The next end is searched for once, however many beginnings stand before it.
    if (end === undefined || (end !== null && end.index < body)) end = find(END, text, body);
    BODY.lastIndex = body;
    const stop =
      end !== null && end.index - body <= MAX_KEY
        ? end.index + end[0].length
        : body + (BODY.exec(text)?.[0].length ?? 0);
    blocks.push([begin.index, stop]);
    begin = find(BEGIN, text, stop);
  }
  return blocks;
}

function find(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}
