// Owns the question put to a person at the terminal: may this call be made?
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest, Approve } from "../index.ts";
import { ANSWERS, parseAnswer, parseSetAnswer, SET_ANSWERS } from "./answer.ts";
import { toolName } from "./call-table.ts";
import { callRows, doneRows, setRows } from "./question.ts";
import type { Screen } from "./screen.ts";
import { counted } from "./text/amount.ts";
import { dim, render, type Text } from "./text/styled.ts";
import type { Input, Output } from "./world.ts";

export interface PromptOptions {
  readonly input: Input;
  readonly output: Output;
  readonly screen: Pick<Screen, "hold" | "note">;
  /** The script that runs, for its line. */
  readonly script: () => { readonly name: string; readonly text: string };
  /** Ctrl-C at the prompt. */
  readonly interrupt: () => void;
}

/** Keys pressed before a question is shown are not its answer. */
const TYPED_AHEAD_MS = 60;
/** Rows. */
const MIN_PAGE = 5;

interface Asked {
  /** Each is shown after the one before it has been seen. */
  readonly pages: readonly (readonly Text[])[];
  readonly query: string;
  readonly keys: string;
  readonly answers: string;
  /** Of the answers that nobody typed. */
  readonly about: Pick<ApprovalAnswer, "about">;
  parse(typed: string): ApprovalAnswer | undefined;
}

/** Asks until there is an answer. The end of input is a no; so is Ctrl-C, which also ends the run. */
export function createPrompt(options: PromptOptions): Approve {
  return async (request, { signal }) => {
    const release = options.screen.hold();
    try {
      const asked = askedOf(request, options);
      for (const line of asked.pages[0] ?? []) options.screen.note(line);
      await dropTypedAhead(options, signal);
      return await ask(asked, options, signal);
    } finally {
      release();
    }
  };
}

function askedOf(request: ApprovalRequest, { output, script }: PromptOptions): Asked {
  const shown = { script: script(), width: output.columns || 80 };
  const { set } = request;
  if (set === undefined) {
    const rows = [...callRows(request, shown), ...doneRows(request.calls, shown), dim(`  ${ANSWERS}`)];
    return {
      pages: [rows],
      query: toolName(request),
      keys: "[y/r/n]",
      answers: ANSWERS,
      about: {},
      parse: parseAnswer,
    };
  }
  const rows = [...setRows(set, shown), ...doneRows(request.calls, shown), dim(`  ${SET_ANSWERS}`)];
  const height = Math.max(MIN_PAGE, (output.rows || 24) - 2);
  return {
    pages: Array.from({ length: Math.ceil(rows.length / height) }, (_, index) =>
      rows.slice(index * height, (index + 1) * height),
    ),
    query: `${set.length} calls`,
    keys: "[y/r/s/n]",
    answers: SET_ANSWERS,
    about: { about: "all" },
    parse: (typed) => parseSetAnswer(typed, set),
  };
}

async function ask(
  { pages, query, keys, answers, about, parse }: Asked,
  { input, output, screen, interrupt }: PromptOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const lines = createInterface({ input, output, terminal: input.isTTY === true, historySize: 0 });
  const { promise: ended, resolve: end } = Promise.withResolvers<ApprovalAnswer>();
  lines.on("SIGINT", () => {
    end({ decision: "deny", reason: "the run was ended at the prompt", ...about });
    interrupt();
  });
  lines.on("close", () =>
    end({ decision: "deny", reason: "the prompt was closed without an answer", ...about }),
  );
  let seen = 1;
  try {
    for (;;) {
      const left = pages.length - seen;
      const text = left > 0 ? `${query}, ${counted(left, "more page")} [Enter/n] ` : `${query} ${keys} `;
      const typed = await Promise.race([lines.question(render(text, false), { signal }), ended]);
      if (typeof typed !== "string") return typed;
      const answer = parse(typed);
      // Security: what has not been shown cannot be allowed.
      if (answer !== undefined && (left === 0 || answer.decision === "deny")) return answer;
      if (left > 0 && typed.trim() === "") {
        for (const line of pages[seen] ?? []) screen.note(line);
        seen += 1;
      } else
        screen.note(
          dim(left > 0 ? "Enter shows the rest, which can then be allowed; n refuses all" : answers),
        );
    }
  } finally {
    lines.close();
    input.pause();
  }
}

/** Waits a moment, and forgets what is typed meanwhile or was before. Nothing happens without a terminal. */
export async function dropTypedAhead(
  { input, interrupt }: Pick<PromptOptions, "input" | "interrupt">,
  signal: AbortSignal,
): Promise<void> {
  if (input.isTTY !== true || input.setRawMode === undefined) return;
  // In raw mode Ctrl-C is a character like any other, and must not be dropped with the rest.
  const drop = (typed: Buffer | string): void => {
    if (typed.includes("\u0003")) interrupt();
  };
  input.setRawMode(true);
  input.on("data", drop);
  input.resume();
  try {
    await pause(TYPED_AHEAD_MS, undefined, { signal });
  } finally {
    input.off("data", drop);
    input.pause();
    input.setRawMode(false);
  }
}
