// Owns the dialogue at the terminal when a server asks a person: field by field, then once more before anything is sent.
import { createInterface } from "node:readline/promises";
import type { Elicit, ElicitationAnswer, ElicitationRequest, ElicitationValue } from "../index.ts";
import { fieldHint, fieldRows, readField, shownValue } from "./elicit-field.ts";
import { dropTypedAhead, type PromptOptions } from "./prompt.ts";
import { folded } from "./question.ts";
import { bold, dim, render, yellow, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";

/** When nobody can be asked, or asking was refused beforehand. No answer is ever made up. */
export const declineAll: Elicit = () => Promise.resolve({ action: "decline" });

const CANCELLED: ElicitationAnswer = { action: "cancel" };
const LEFT = Symbol("left");

/** Asks until there is an answer. The end of input cancels; so does Ctrl-C, which also ends the run. */
export function createElicitPrompt(options: Omit<PromptOptions, "script">): Elicit {
  return async (request, { signal }) => {
    const release = options.screen.hold();
    try {
      const width = options.output.columns || 80;
      for (const line of questionRows(request, width)) options.screen.note(line);
      await dropTypedAhead(options, signal);
      return await dialogue(request, options, signal);
    } finally {
      release();
    }
  };
}

/** Security: who asks comes first, in our words; every row of the server's is marked as such. */
export function questionRows(
  { server, tool, message }: Pick<ElicitationRequest, "server" | "tool" | "message">,
  width: number,
): readonly Text[] {
  const where = tool === undefined ? "" : ` while ${visibleLine(tool, 128)} runs`;
  return [
    [yellow("a server asks: "), bold(visibleLine(server, 128)), where],
    dim("  the server asks, not Callgate; what you answer is sent to it"),
    ...message.split("\n").flatMap((row) => folded(visibleLine(row, 4_000), width)),
  ];
}

async function dialogue(
  { server, requestedSchema: { properties, required } }: ElicitationRequest,
  { input, output, screen, interrupt }: Omit<PromptOptions, "script">,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const lines = createInterface({ input, output, terminal: input.isTTY === true, historySize: 0 });
  const { promise: left, resolve: leave } = Promise.withResolvers<typeof LEFT>();
  lines.on("SIGINT", () => {
    leave(LEFT);
    interrupt();
  });
  lines.on("close", () => leave(LEFT));
  const typed = (query: string): Promise<string | typeof LEFT> =>
    Promise.race([lines.question(render(query, false), { signal }), left]);
  /** Undefined when the dialogue was left. */
  const yes = async (query: string): Promise<boolean | undefined> => {
    for (;;) {
      const word = await typed(`${query} [y/n] `);
      if (word === LEFT) return undefined;
      if (/^\s*y(?:es)?\s*$/i.test(word)) return true;
      if (/^\s*n(?:o)?\s*$/i.test(word)) return false;
      screen.note(dim("  y = yes   n = no, which the server is told"));
    }
  };
  try {
    const width = output.columns || 80;
    const who = visibleLine(server, 60);
    const entries = Object.entries(properties);
    if (entries.length > 0) {
      const willing = await yes(`answer ${who}?`);
      if (willing === undefined) return CANCELLED;
      if (!willing) return { action: "decline" };
    }
    const content: [string, ElicitationValue][] = [];
    for (const [name, field] of entries) {
      const needed = required.includes(name);
      for (const row of fieldRows(name, field)) for (const line of folded(row, width)) screen.note(line);
      for (;;) {
        const word = await typed(`${visibleLine(name, 64)} (${fieldHint(field, needed)}) `);
        if (word === LEFT) return CANCELLED;
        const read = readField(field, word, needed);
        if (read.type === "problem") {
          screen.note(dim(`  ${read.problem}`));
          continue;
        }
        if (read.type === "value") content.push([name, read.value]);
        break;
      }
    }
    for (const [name, value] of content) {
      const field = properties[name];
      if (field !== undefined)
        for (const line of folded(`${name} = ${shownValue(field, value)}`, width)) screen.note(line);
    }
    const sent = await yes(entries.length > 0 ? `send this to ${who}?` : `agree, and tell ${who} so?`);
    if (sent === undefined) return CANCELLED;
    return sent ? { action: "accept", content: Object.fromEntries(content) } : { action: "decline" };
  } finally {
    lines.close();
    input.pause();
  }
}
