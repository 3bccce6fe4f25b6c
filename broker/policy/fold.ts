// Owns the loose form of a text, in which look-alikes are equal. Used only where being wrong means being stricter.

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const ASCII = /^[\x20-\x7e\s]*$/;

// Cyrillic and Greek letters drawn like Latin ones, after lower-casing. A small part of Unicode's
// confusables: it stops the usual forgeries, not every one.
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аαɑ",
    b: "ƅ",
    c: "сϲ",
    d: "ԁ",
    e: "еҽ",
    g: "ɡ",
    h: "һ",
    i: "іιıɩ",
    j: "јϳ",
    k: "κк",
    l: "ӏ",
    m: "м",
    n: "ո",
    o: "оοօ",
    p: "рρ",
    q: "ԛ",
    s: "ѕ",
    t: "тτ",
    u: "υս",
    v: "νѵ",
    w: "ѡԝ",
    x: "хχ",
    y: "уγү",
    z: "ᴢ",
  }).flatMap(([latin, twins]) => [...twins].map((twin): [string, string] => [twin, latin])),
);

/**
 * Compatibility form (NFKC), lower case, without invisible characters, common Cyrillic and Greek look-alikes as
 * Latin letters, dashes as `-`. Two texts that a person or a server may take for each other fold alike.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = "";
  for (const character of text.normalize("NFKC").replace(IGNORABLE, "").toLowerCase().normalize("NFKC")) {
    folded += LOOK_ALIKES.get(character) ?? (/\p{Dash}/u.test(character) ? "-" : character);
  }
  return folded;
}
