// Owns the question put to a person at the terminal: may this call be made?
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest, Approve } from "../index.ts";
import { toolName } from "./call-table.ts";
import type { Screen } from "./screen.ts";
import { bold, dim, render, yellow, type Text } from "./text/styled.ts";
import { visibleLine } from "./text/visible.ts";
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

/** Longer arguments are cut; the broker has bounded them before. */
const MAX_ARGUMENTS = 9_000;
const ANSWERS = "y = yes, this once   r = yes, for the rest of this run   n = no; a reason may follow";
/** Keys pressed before a question is shown are not its answer. */
const TYPED_AHEAD_MS = 60;

/** Asks until there is an answer. The end of input is a no; so is Ctrl-C, which also ends the run. */
export function createPrompt(options: PromptOptions): Approve {
  return async (request, { signal }) => {
    const release = options.screen.hold();
    try {
      const width = options.output.columns || 80;
      for (const line of question(request, options.script(), width)) options.screen.note(line);
      await dropTypedAhead(options, signal);
      return await ask(request, options, signal);
    } finally {
      release();
    }
  };
}

async function ask(
  request: ApprovalRequest,
  { input, output, screen, interrupt }: PromptOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const lines = createInterface({ input, output, terminal: input.isTTY === true, historySize: 0 });
  const { promise: ended, resolve: end } = Promise.withResolvers<ApprovalAnswer>();
  lines.on("SIGINT", () => {
    end({ decision: "deny", reason: "the run was ended at the prompt" });
    interrupt();
  });
  lines.on("close", () => end({ decision: "deny", reason: "the prompt was closed without an answer" }));
  try {
    for (;;) {
      const query = render(`${toolName(request)} [y/r/n] `, false);
      const typed = await Promise.race([lines.question(query, { signal }), ended]);
      if (typeof typed !== "string") return typed;
      const answer = parseAnswer(typed);
      if (answer !== undefined) return answer;
      screen.note(dim(ANSWERS));
    }
  } finally {
    lines.close();
    input.pause();
  }
}

/** `n too many` denies with a reason; undefined for what is no answer, which is asked again. */
export function parseAnswer(typed: string): ApprovalAnswer | undefined {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(typed) ?? [];
  switch (word.toLowerCase().replace(/[,.:;]$/, "")) {
    case "y":
    case "yes":
      return rest === "" ? { decision: "allow", scope: "once" } : undefined;
    case "r":
    case "run":
      return rest === "" ? { decision: "allow", scope: "run" } : undefined;
    case "n":
    case "no":
      return rest === "" ? { decision: "deny" } : { decision: "deny", reason: visibleLine(rest, 400) };
    default:
      return undefined;
  }
}

/** What is asked, in lines. Security: a server or script could write anything here; all of it is made visible. */
export function question(
  request: ApprovalRequest,
  script: { readonly name: string; readonly text: string },
  width: number = 80,
): readonly Text[] {
  const { line } = request;
  const source = line === undefined ? undefined : script.text.split(/\r\n|\r|\n/)[line - 1];
  const place = `at ${visibleLine(script.name)}:${line}: ${visibleLine(source?.trim() ?? "", 160)}`;
  return [
    [yellow("approval needed: "), bold(toolName(request))],
    ...argumentRows(request).flatMap((row) => folded(row, width)),
    ...folded(`why: ${visibleLine(request.reason, 400)}`, width),
    ...(line === undefined ? [] : folded(place, width)),
    dim(`  ${ANSWERS}`),
  ];
}

function argumentRows({ arguments: given }: ApprovalRequest): readonly string[] {
  const text = typeof given === "string" ? given : (JSON.stringify(given, null, 2) ?? "");
  const rows = text.slice(0, MAX_ARGUMENTS).split("\n");
  const shown = rows.map((row) => visibleLine(row, MAX_ARGUMENTS * 8));
  return text.length > MAX_ARGUMENTS
    ? [...shown, `… ${text.length - MAX_ARGUMENTS} more characters (cut)`]
    : shown;
}

// Security: a row that the terminal broke by itself could, with enough spaces, look like a line of ours.
function folded(row: string, width: number): readonly Text[] {
  const characters = Array.from(row);
  const room = Math.max(20, width - 5);
  const parts = Array.from({ length: Math.max(1, Math.ceil(characters.length / room)) }, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(""),
  );
  return parts.map((part, index) => [index === 0 ? "  " : dim("  ┆ "), part]);
}

async function dropTypedAhead(
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
