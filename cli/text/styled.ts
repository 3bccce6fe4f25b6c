// Owns text with emphasis, kept apart from escape sequences until it is written.
import { visible } from "./visible.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Styled {
  readonly style: Style;
  readonly text: Text;
}

/** What commands write. Strings are plain: whatever they hold, a terminal is told nothing by it. */
export type Text = string | Styled | readonly Text[];

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export const bold = (text: Text): Styled => ({ style: "bold", text });
export const dim = (text: Text): Styled => ({ style: "dim", text });
export const red = (text: Text): Styled => ({ style: "red", text });
export const green = (text: Text): Styled => ({ style: "green", text });
export const yellow = (text: Text): Styled => ({ style: "yellow", text });
export const cyan = (text: Text): Styled => ({ style: "cyan", text });

/** The text for a stream. Security: every string passes `visible`, so only styles make escape sequences. */
export function render(text: Text, colour: boolean): string {
  if (typeof text === "string") return visible(text);
  if (isList(text)) return text.map((part) => render(part, colour)).join("");
  const inner = render(text.text, colour);
  if (!colour || inner === "") return inner;
  const [on, off] = CODES[text.style];
  return `\u001b[${on}m${inner}\u001b[${off}m`;
}

/** Texts as lines, each ended by a line feed. */
export function lines(texts: readonly Text[]): Text {
  return texts.map((text) => [text, "\n"]);
}

function isList(text: Exclude<Text, string>): text is readonly Text[] {
  return Array.isArray(text);
}

/** Whether to colour a stream: never with NO_COLOR, always with FORCE_COLOR, else on a terminal that is not dumb. */
export function wantsColour(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
